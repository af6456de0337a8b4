import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changePersonEmail, dropTwoFactor, endAllSessions } from '#sign-in'
import {
  addPasskey,
  askToAdd,
  askToSignIn,
  type Authenticator,
  createAuthenticator,
} from '#test/stand-ins/passkey-device.ts'
import { type Client, type Member, startPortal, type TestPortal, testPassword } from '#test/kit/portal.ts'
import { identityOf, limit, linkOf, program } from '#test/resources/access.ts'
import { codeOf, untilStepsLast } from '#test/stand-ins/authenticator.ts'
import { makeLink } from '../person-links/person-links.service.ts'

let portal: TestPortal
let ada: Member
beforeAll(async () => {
  portal = await startPortal()
  ada = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const path = '/identity/v1/profile/passkeys'
const begin = '/identity/v1/profile/passkey-challenges'
const proof = { password: testPassword }
const operator = { actor: 'command line', address: null, via: { kind: 'command-line' as const } }
const query = async (text: string, ...values: unknown[]) =>
  (await portal.parts.database.pool.query<Record<string, unknown>>(text, values)).rows
const auditOf = (of: Member, action: string) =>
  query('SELECT details FROM portico.audit_log WHERE actor = $1 AND action = $2 ORDER BY at DESC', of.email, action)
const emailsOf = async (of: Member) => {
  const rows = await query(
    `SELECT data->>'notice' AS notice FROM jobs.job
      WHERE data->>'personId' = (SELECT id::text FROM portico.persons WHERE email = $1) ORDER BY created_on`,
    of.email,
  )
  return rows.map(({ notice }) => notice)
}
const signIn = async (authenticator: Authenticator) =>
  portal.anonymous.post('/identity/v1/passkey-login', authenticator.sign(await askToSignIn(portal.anonymous)))

/** Signs in with a passkey, and enters the account. */
async function enterWith(authenticator: Authenticator, account: number): Promise<Client> {
  const half = portal.holder((await signIn(authenticator)).json<{ token: string }>().token)
  const entered = await half.get(`/identity/v1/login/${account}`)
  return portal.holder(entered.json<{ token: string }>().token)
}

describe("a person's passkeys", () => {
  test('are added, listed, renamed and removed; the person is notified and the audit log says so', async () => {
    const own = createAuthenticator()
    const asked = await askToAdd(ada)
    expect(asked).toMatchObject({ rpId: 'localhost', excludeCredentials: [], user: { name: ada.email } })
    // The handle tells nothing about the person.
    expect(asked.user?.id).toMatch(/^[\w-]{43}$/)
    const added = await ada.post(path, { name: '  My laptop ', ...own.create(asked, { isSynced: true }) })
    expect(added).toMatchObject({ status: 201, body: { name: 'My laptop', isSynced: true, lastUsedAt: null } })
    const { _id: id } = added.json<{ _id: string }>()

    const next = await askToAdd(ada)
    expect(next).toMatchObject({
      user: { id: asked.user?.id },
      excludeCredentials: [{ id: own.id, type: 'public-key', transports: ['internal'] }],
    })
    expect(await ada.post(path, { name: 'Again', ...own.create(next) })).toMatchObject({
      status: 409,
      body: { error: { code: 'name_taken' } },
    })

    expect((await ada.put(`${path}/${id}`, { name: 'Old laptop' })).body).toMatchObject({ name: 'Old laptop' })
    expect((await ada.get(path)).body).toMatchObject([{ _id: id, name: 'Old laptop', isSynced: true }])
    const session = portal.holder((await signIn(own)).json<{ token: string }>().token)
    expect((await ada.delete(`${path}/${id}`, { password: 'wrong' })).status).toBe(400)
    expect((await ada.delete(`${path}/${id}`, proof)).status).toBe(204)
    expect((await ada.get(path)).body).toEqual([])
    expect((await signIn(own)).status).toBe(401)
    expect((await session.get('/identity/v1/profile')).status).toBe(401)

    expect(await auditOf(ada, 'passkey added')).toEqual([{ details: { name: 'My laptop' } }])
    expect(await auditOf(ada, 'passkey renamed')).toEqual([{ details: { old: 'My laptop', new: 'Old laptop' } }])
    expect(await auditOf(ada, 'passkey removed')).toEqual([
      { details: { name: 'Old laptop', endedSessions: 1, endedLinks: 0 } },
    ])
    expect(await emailsOf(ada)).toEqual(['passkey added', 'passkey removed'])
  })

  test('when removed end the impersonation links created in their sessions, even after these have ended', async () => {
    const eve = await portal.member(ada.account)
    const own = createAuthenticator()
    const id = await addPasskey(eve, own)
    const [session, signedOut] = [await enterWith(own, eve.account), await enterWith(own, eve.account)]
    const links = [await linkOf(session), await linkOf(signedOut), await linkOf(eve)]
    await signedOut.post('/identity/v1/logout')
    expect((await eve.delete(`${path}/${id}`, proof)).status).toBe(204)
    const reached = links.map(async (link) => (await portal.holder(link).get('/identity/v1/user')).status)
    expect(await Promise.all(reached)).toEqual([401, 401, 200])
    expect(await auditOf(eve, 'passkey removed')).toMatchObject([{ details: { endedSessions: 1, endedLinks: 2 } }])
  })

  test('have names of 1 to 64 characters', async () => {
    const body = createAuthenticator().create(await askToAdd(ada))
    for (const name of ['', '   ', 'n'.repeat(65)]) expect((await ada.post(path, { name, ...body })).status).toBe(400)
    expect((await ada.post(path, { name: 'n'.repeat(64), ...body })).status).toBe(201)
  })

  const lies = {
    'from another origin': { origin: 'https://portal.example.net' },
    'for another host': { rpId: 'example.net' },
    'made without verifying anyone': { isVerified: false },
    'for another challenge': { challenge: Buffer.alloc(32).toString('base64url') },
    'that answers another question': { type: 'webauthn.get' },
  }
  test.each(Object.entries(lies))('do not include one %s', async (_name, lie) => {
    const body = createAuthenticator().create(await askToAdd(ada), lie)
    expect(await ada.post(path, { name: 'Laptop', ...body })).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'passkey' }] } },
    })
  })

  test('do not include one for a challenge of another session, of a sign-in, or that was used', async () => {
    const own = createAuthenticator()
    const other = portal.holder(await portal.signIn(ada.email))
    const [toSignIn, elsewhere] = [await askToSignIn(portal.anonymous), await askToAdd(ada)]
    expect((await ada.post(path, { name: 'Laptop', ...own.create(toSignIn) })).status).toBe(400)
    expect((await other.post(path, { name: 'Laptop', ...own.create(elsewhere) })).status).toBe(400)
    const body = own.create(await askToAdd(ada))
    expect((await ada.post(path, { name: 'Laptop', ...body })).status).toBe(201)
    expect((await ada.post(path, { name: 'Laptop', ...body })).status).toBe(400)
  })

  test('are neither added nor renamed with the password alone once there is one, whenever that was begun', async () => {
    const cora = await portal.member(ada.account)
    const thief = portal.holder(await portal.signIn(cora.email))
    const own = createAuthenticator()
    const begun = own.create(await askToAdd(thief as Member))
    const added = await cora.post(path, { name: 'Laptop', ...createAuthenticator().create(await askToAdd(cora)) })
    expect(added.status).toBe(201)
    const refused = { status: 403, body: { error: { message: expect.stringContaining('your password alone') } } }
    expect(await thief.post(path, { name: 'Phone', ...begun })).toMatchObject(refused)
    const { _id } = added.json<{ _id: string }>()
    expect(await thief.put(`${path}/${_id}`, { name: 'Old phone' })).toMatchObject(refused)
    expect((await cora.get(path)).body).toMatchObject([{ name: 'Laptop' }])
  })

  test('are ten at most, also when several are added at once', async () => {
    const berta = await portal.member(ada.account)
    for (let count = 0; count < 9; count++) await addPasskey(berta, createAuthenticator())
    const bodies = [
      createAuthenticator().create(await askToAdd(berta)),
      createAuthenticator().create(await askToAdd(berta)),
    ]
    const atOnce = await Promise.all(bodies.map((body) => berta.post(path, { name: 'Last', ...body })))
    expect(atOnce.map(({ status }) => String(status)).toSorted()).toEqual(['201', '409'])
    expect(await berta.post(begin, proof)).toMatchObject({ status: 409, body: { error: { code: 'limit_reached' } } })
    expect((await berta.get(path)).json<unknown[]>()).toHaveLength(10)
  })

  test('are not those of other people, nor for links, credentials and strangers', async () => {
    const carl = await portal.member(ada.account)
    const id = await addPasskey(carl, createAuthenticator())
    expect((await ada.put(`${path}/${id}`, { name: 'Mine' })).status).toBe(404)
    expect((await ada.delete(`${path}/${id}`, proof)).status).toBe(404)
    const link = portal.holder(await linkOf(carl))
    const credential = await program(portal, carl)
    for (const client of [link, credential, portal.anonymous]) {
      const replies = [
        await client.get(path),
        await client.post(begin, proof),
        await client.post(path, { name: 'Laptop', ...createAuthenticator().create(await askToSignIn(client)) }),
        await client.put(`${path}/${id}`, { name: 'Laptop' }),
        await client.delete(`${path}/${id}`, proof),
      ]
      const expected = client === portal.anonymous ? 401 : 403
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => expected))
    }
    expect((await carl.get(path)).body).toMatchObject([{ _id: id, name: 'Laptop' }])
  })
})

describe('with two-factor on', () => {
  test('a passkey is added and removed with a code as well, and signs in without one', async () => {
    const dora = await portal.member(ada.account)
    const twoFactor = '/identity/v1/profile/two-factor'
    const { secret } = (await dora.post(twoFactor, proof)).json<{ secret: string }>()
    await untilStepsLast()
    await dora.post(`${twoFactor}/confirmation`, { code: codeOf(secret) })
    const code = async () => {
      await query(
        'UPDATE portico.persons SET two_factor_last_step = two_factor_last_step - 10 WHERE email = $1',
        dora.email,
      )
      return codeOf(secret)
    }
    for (const wrong of [proof, { ...proof, code: '000000' }, { password: 'wrong', code: await code() }])
      expect((await dora.post(begin, wrong)).status).toBe(400)
    const own = createAuthenticator()
    const asked = (await dora.post(begin, { ...proof, code: await code() })).json<Parameters<typeof own.create>[0]>()
    const added = await dora.post(path, { name: 'Key', ...own.create(asked) })
    expect(added.status).toBe(201)
    expect((await signIn(own)).status).toBe(200)
    const { _id: id } = added.json<{ _id: string }>()
    expect((await dora.delete(`${path}/${id}`, proof)).status).toBe(400)
    expect((await dora.delete(`${path}/${id}`, { ...proof, code: await code() })).status).toBe(204)
  })
})

describe('passkeys stay or go', () => {
  const withKey = async (): Promise<{ who: Member; own: Authenticator }> => {
    const who = await portal.member(ada.account)
    const own = createAuthenticator()
    await addPasskey(who, own, 'Phone')
    return { who, own }
  }
  test('stay when the password is changed and when the other sessions are ended', async () => {
    const { who, own } = await withKey()
    const newPassword = 'another horse battery staple'
    expect(
      (await who.put('/identity/v1/profile/password', { currentPassword: testPassword, newPassword })).status,
    ).toBe(204)
    expect((await who.delete('/identity/v1/profile/sessions')).status).toBe(200)
    expect((await signIn(own)).status).toBe(200)
    expect((await emailsOf(who)).at(-1)).not.toBe('password reset, passkeys removed')
  })

  test('go when the password is reset by email, which the person is notified of', async () => {
    const { who, own } = await withKey()
    const [person] = await query('SELECT id FROM portico.persons WHERE email = $1', who.email)
    const link = await makeLink(portal.parts.database.db, String(person?.['id']), 'password reset')
    const reset = await portal.anonymous.post('/identity/v1/reset-password', {
      link,
      password: 'another horse battery 5',
    })
    expect(reset.status).toBe(200)
    expect((await signIn(own)).status).toBe(401)
    expect(await auditOf(who, 'passkeys removed')).toEqual([{ details: { names: ['Phone'] } }])
    expect(await emailsOf(who)).toEqual(['passkey added', 'password reset, passkeys removed'])
  })

  test('go when the operator resets two-factor, with the sessions', async () => {
    const { who, own } = await withKey()
    const reset = await dropTwoFactor(portal.parts.database.db, who.email, operator)
    expect(reset).toEqual({ email: who.email, ended: 1, passkeys: 1 })
    expect((await signIn(own)).status).toBe(401)
    expect((await who.get(path)).status).toBe(401)
    await expect(dropTwoFactor(portal.parts.database.db, who.email, operator)).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('stay with a person who is disabled, who has another address, or whose sessions the operator ends', async () => {
    const { who, own } = await withKey()
    const identity = await identityOf(portal, who)
    await limit(portal, identity, { isDisabled: true })
    expect((await signIn(own)).status).toBe(403)
    await limit(portal, identity, {})
    const [person] = await query('SELECT id FROM portico.persons WHERE email = $1', who.email)
    const change = { id: String(person?.['id']), email: `new-${who.email}` }
    await changePersonEmail(portal.parts.database.db, change, operator)
    await endAllSessions(portal.parts.database.db, operator)
    expect(await signIn(own)).toMatchObject({ status: 200, body: { user: { email: `new-${who.email}` } } })
    await query('DELETE FROM portico.persons WHERE id = $1', change.id)
    expect((await signIn(own)).status).toBe(401)
  })
})
