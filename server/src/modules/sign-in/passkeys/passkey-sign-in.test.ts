import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  addPasskey,
  askToAdd,
  askToSignIn,
  type Authenticator,
  createAuthenticator,
} from '#test/stand-ins/passkey-device.ts'
import { type Answer, type Member, startPortal, type TestPortal, testPassword } from '#test/kit/portal.ts'
import { identityOf } from '#test/resources/access.ts'
import { newChallenge } from './challenges.ts'

let portal: TestPortal
let ada: Member
let key: Authenticator

beforeAll(async () => {
  portal = await startPortal()
  ada = await portal.member(await portal.account())
  key = createAuthenticator({ counts: true })
  await addPasskey(ada, key, 'Laptop')
})
afterAll(() => portal.close())

const path = '/identity/v1/passkey-login'
const refusal = {
  error: { code: 'wrong_credentials', message: 'This passkey was not accepted. Sign in with your password.' },
}
const query = async (text: string, ...values: unknown[]) =>
  (await portal.parts.database.pool.query<Record<string, unknown>>(text, values)).rows

async function signIn(authenticator: Authenticator, address = '127.0.0.1'): Promise<Answer> {
  const client = portal.asking({}, address)
  return client.post(path, authenticator.sign(await askToSignIn(client)))
}

/** Lets the failures of a test not count in the next one. */
const forgive = () => query('DELETE FROM portico.login_failures')

describe('a passkey', () => {
  test('signs its person in, without password and code, and counts as a sign-in', async () => {
    const signedIn = await signIn(key)
    expect(signedIn).toMatchObject({ status: 200, body: { user: { email: ada.email, account: null } } })
    const { token, accounts } = signedIn.json<{ token: string; accounts: unknown[] }>()
    expect(accounts).toMatchObject([{ Key: ada.account }])
    expect((await portal.holder(token).get(`/identity/v1/login/${ada.account}`)).status).toBe(200)
    const [passkey] = (await ada.get('/identity/v1/profile/passkeys')).json<{ lastUsedAt: string }[]>()
    expect(Date.parse(passkey?.lastUsedAt ?? '')).toBeGreaterThan(Date.now() - 60_000)
    const [line] = await query(
      `SELECT details FROM portico.audit_log WHERE action = 'signed in' AND actor = $1 ORDER BY at DESC LIMIT 1`,
      ada.email,
    )
    expect(line).toMatchObject({ details: { passkey: 'Laptop' } })
  })

  const lies = {
    'another origin': { origin: 'https://portal.example.net' },
    'another host': { rpId: 'example.net' },
    'no one verified': { isVerified: false },
    'another challenge': { challenge: Buffer.alloc(32).toString('base64url') },
    'the answer to another question': { type: 'webauthn.create' },
    'the handle of another person': { userHandle: 'someone' },
  }
  test.each(Object.entries(lies))('is refused with %s, with the message for an unknown passkey', async (_name, lie) => {
    await forgive()
    const refused = await portal.anonymous.post(path, key.sign(await askToSignIn(portal.anonymous), lie))
    expect(refused).toMatchObject({ status: 401, body: refusal })
    expect(await signIn(createAuthenticator())).toMatchObject({ status: 401, body: refusal })
    expect((await signIn(key)).status).toBe(200)
  })

  test('is refused with a wrong signature, and under the id of another one', async () => {
    await forgive()
    const other = createAuthenticator()
    const asked = await askToSignIn(portal.anonymous)
    const { passkey } = key.sign(asked)
    const forged = {
      ...asked,
      passkey: { ...other.sign(asked).passkey, id: key.id, userHandle: passkey['userHandle'] },
    }
    expect(await portal.anonymous.post(path, { token: forged.token, passkey: forged.passkey })).toMatchObject({
      status: 401,
      body: refusal,
    })
  })

  test('signs once for each challenge, only with the token of the browser that asked for it', async () => {
    await forgive()
    const [mine, theirs] = [await askToSignIn(portal.anonymous), await askToSignIn(portal.anonymous)]
    const answer = key.sign(mine)
    const elsewhere = await portal.anonymous.post(path, { ...answer, token: theirs.token })
    expect(elsewhere).toMatchObject({ status: 401, body: refusal })
    const atOnce = await Promise.all([1, 2, 3].map(() => portal.anonymous.post(path, answer)))
    expect(atOnce.map(({ status }) => String(status)).toSorted()).toEqual(['200', '401', '401'])
    expect(await portal.anonymous.post(path, answer)).toMatchObject({ status: 401, body: refusal })
  })

  test('cannot answer a challenge for a new passkey, nor one that was made up or is too old', async () => {
    await forgive()
    const toAdd = await askToAdd(ada)
    expect(await portal.anonymous.post(path, key.sign(toAdd))).toMatchObject({ status: 401, body: refusal })
    const asked = await askToSignIn(portal.anonymous)
    const madeUp = key.sign({ ...asked, token: `A${asked.token.slice(1)}` })
    expect(await portal.anonymous.post(path, madeUp)).toMatchObject({ status: 401, body: refusal })
    vi.spyOn(Date, 'now').mockReturnValueOnce(Date.now() - 301_000)
    const old = { ...newChallenge(portal.config, 'sign in'), rpId: 'localhost' }
    const tooLate = await portal.anonymous.post(path, key.sign(old))
    expect(tooLate).toMatchObject({ status: 401, body: { error: { message: 'This took too long. Try again.' } } })
  })

  test('whose counter goes back is refused, recorded and reported', async () => {
    await forgive()
    const copied = key.sign(await askToSignIn(portal.anonymous), { counter: 1 })
    expect(await portal.anonymous.post(path, copied)).toMatchObject({ status: 401, body: refusal })
    const [line] = await query(
      `SELECT details FROM portico.audit_log WHERE action = 'passkey refused' AND actor = $1`,
      ada.email,
    )
    expect(line).toMatchObject({ details: { name: 'Laptop', reason: 'Its counter went back.' } })
    expect(await query(`SELECT FROM jobs.job WHERE data->>'notice' = 'passkey copied'`)).toHaveLength(1)
    // The genuine one goes on.
    expect((await signIn(key)).status).toBe(200)
  })

  test('that does not count signatures may say 0 every time', async () => {
    const plain = createAuthenticator()
    await addPasskey(ada, plain)
    expect((await signIn(plain)).status).toBe(200)
    expect((await signIn(plain)).status).toBe(200)
  })

  test('is refused after ten failures from an address, and while the password is locked there', async () => {
    await forgive()
    const unknown = createAuthenticator()
    for (let failure = 0; failure < 10; failure++) {
      expect((await signIn(unknown, '203.0.113.7')).status).toBe(401)
    }
    expect((await signIn(unknown, '203.0.113.7')).body).toMatchObject({ error: { code: 'too_many_attempts' } })
    const guessing = portal.asking({}, '203.0.113.8')
    for (let guess = 0; guess < 10; guess++) {
      await guessing.post('/identity/v1/login', { email: ada.email, password: `guess ${guess}` })
    }
    expect((await signIn(key, '203.0.113.8')).body).toMatchObject({ error: { code: 'too_many_attempts' } })
    expect((await signIn(key, '203.0.113.9')).status).toBe(200)
  })

  test('does not let in a person who may not enter now, and leads to a new password if theirs was generated', async () => {
    await forgive()
    const berta = await portal.member(ada.account, 'contact-service::offers::get')
    const own = createAuthenticator()
    await addPasskey(berta, own)
    await query('UPDATE portico.persons SET password_is_temporary = true WHERE email = $1', berta.email)
    expect(await signIn(own)).toMatchObject({ status: 403, body: { error: { code: 'password_temporary' } } })
    await query('UPDATE portico.persons SET password_is_temporary = false WHERE email = $1', berta.email)
    await query('UPDATE portico.identities SET is_disabled = true WHERE id = $1', await identityOf(portal, berta))
    expect(await signIn(own)).toMatchObject({ status: 403, body: { error: { code: 'no_account' } } })
  })
})

describe('where an account requires two-factor', () => {
  test('a session with a passkey may enter, one with the password of the same person may not', async () => {
    const account = await portal.account()
    const carl = await portal.member(account)
    const own = createAuthenticator()
    const id = await addPasskey(carl, own)
    await query('UPDATE portico.accounts SET requires_two_factor = true WHERE id = $1', account)
    // It was shown in this session when it was added.
    expect((await carl.get('/identity/v1/user')).status).toBe(200)

    const byPassword = portal.holder(await portal.signIn(carl.email))
    const needed = { status: 403, body: { error: { code: 'two_factor_needed' } } }
    expect(await byPassword.get(`/identity/v1/login/${account}`)).toMatchObject(needed)
    // The password alone gives no other factor, and takes none away.
    for (const change of [
      byPassword.post('/identity/v1/profile/two-factor', { password: testPassword }),
      byPassword.post('/identity/v1/profile/passkey-challenges', { password: testPassword }),
      byPassword.delete(`/identity/v1/profile/passkeys/${id}`, { password: testPassword }),
    ])
      expect(await change).toMatchObject({ status: 403, body: { error: { code: 'not_allowed' } } })
    const credential = `/identity/v1/profile/credentials/${await identityOf(portal, carl)}/addapi/0`
    expect(await byPassword.put(credential, {})).toMatchObject(needed)

    const byPasskey = portal.holder((await signIn(own)).json<{ token: string }>().token)
    expect((await byPasskey.get(`/identity/v1/login/${account}`)).status).toBe(200)
    expect((await byPasskey.put(credential, {})).status).toBe(200)

    // Without it, the session counts as one with the password alone, from the next request on.
    expect((await carl.delete(`/identity/v1/profile/passkeys/${id}`, { password: testPassword })).status).toBe(204)
    expect(await carl.get('/identity/v1/user')).toMatchObject(needed)
    expect((await byPasskey.get('/identity/v1/profile')).status).toBe(401)
  })
})

test('with an address that browsers allow no passkeys at, none is asked for', async () => {
  const elsewhere = await startPortal({ publicUrl: 'http://portal.example.com' })
  try {
    const deployment = await elsewhere.anonymous.get('/identity/v1/deployment')
    expect(deployment.body).toMatchObject({ passkeyOrigin: null })
    const begun = await elsewhere.anonymous.post('/identity/v1/passkey-challenges')
    expect(begun).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
  } finally {
    await elsewhere.close()
  }
})
