import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { dropTwoFactor } from '#sign-in'
import { codeOf, untilStepsLast } from '#test/stand-ins/authenticator.ts'
import { invite, secretIn, waitForMessage } from '#test/stand-ins/mailbox.ts'
import { lockWaits } from '#test/kit/lock-waits.ts'
import { type Answer, type Member, startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'

// Checking a password takes a while and may wait in a queue. Once the password has been replaced, calls that used it
// must have no effect. The test locks the person's row until both calls wait for it, one after the other: PostgreSQL
// keeps their order.

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

type Call = () => Promise<Answer>

const base = '/identity/v1'
const newPassword = 'a rather long password'
const query = async (text: string, ...values: unknown[]) => (await portal.parts.database.pool.query(text, values)).rows
const member = async (): Promise<Member> => portal.member(await portal.account())
const login = (body: object): Promise<Answer> => portal.anonymous.post(`${base}/login`, body)
const signIn =
  ({ email }: { email: string }, password = testPassword): Call =>
  () =>
    login({ email, password })
const change =
  (who: Member, to = newPassword): Call =>
  () =>
    who.put(`${base}/profile/password`, { currentPassword: testPassword, newPassword: to })
const reset = (link: string, password = newPassword): Promise<Answer> =>
  portal.anonymous.post(`${base}/reset-password`, { link, password })

/** Runs the calls so that all of them are under way, and they take effect one after the other. */
async function oneAfterAnother(email: string, calls: (() => Promise<unknown>)[], meanwhile = ''): Promise<unknown[]> {
  const { pool } = portal.parts.database
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('SELECT FROM portico.persons WHERE email = $1 FOR UPDATE', [email])
    const results: Promise<unknown>[] = []
    for (const call of calls) {
      let isDone = false
      results.push(call().finally(() => (isDone = true)))
      const count = results.length
      await vi.waitFor(
        // A call that does not wait has taken effect at once.
        async () => expect(isDone || (await lockWaits(pool)).length >= count).toBe(true),
        { timeout: 20_000, interval: 20 },
      )
    }
    if (meanwhile !== '') await client.query(meanwhile, [email])
    await client.query('COMMIT')
    return await Promise.all(results)
  } finally {
    client.release()
  }
}

async function resetLink({ email }: { email: string }, count = 1): Promise<string> {
  await portal.anonymous.post(`${base}/forgot-password`, { email })
  return secretIn(await waitForMessage(portal, email, count))
}

const ofPerson = 'person_id = (SELECT id FROM portico.persons WHERE email = $1)'
const sessionsOf = async ({ email }: { email: string }): Promise<number> =>
  (await query(`SELECT FROM portico.sessions WHERE ${ofPerson} AND revoked_at IS NULL`, email)).length

/** A person with two-factor, and their recovery codes. */
async function guarded() {
  await untilStepsLast()
  const one = await member()
  const { secret } = (await one.post(`${base}/profile/two-factor`, { password: testPassword })).json<{
    secret: string
  }>()
  const confirmed = await one.post(`${base}/profile/two-factor/confirmation`, { code: codeOf(secret) })
  const { recoveryCodes } = confirmed.json<{ recoveryCodes: string[] }>()
  return { ...one, secret, recoveryCodes, code: recoveryCodes[0] ?? '' }
}

const ended = {
  status: 401,
  body: { error: { code: 'not_signed_in', message: 'Your session has ended. Please sign in again.' } },
}
const wrong = { status: 401, body: { error: { code: 'wrong_credentials' } } }

describe('a sign-in that has passed with the old password', () => {
  test('starts no session after the password is changed', async () => {
    const owner = await member()
    const [changed, late] = await oneAfterAnother(owner.email, [change(owner), signIn(owner)])
    expect(changed).toMatchObject({ status: 204 })
    expect(late).toMatchObject(wrong)
    expect(await sessionsOf(owner)).toBe(1)
  })

  test('starts no session after the password is reset', async () => {
    const owner = await member()
    const link = await resetLink(owner)
    const [changed, late] = await oneAfterAnother(owner.email, [() => reset(link), signIn(owner)])
    expect(changed).toMatchObject({ status: 200 })
    expect(late).toMatchObject(wrong)
    expect(await sessionsOf(owner)).toBe(0)
  })

  test('is ended by the change if it precedes it', async () => {
    const owner = await member()
    const [early, changed] = await oneAfterAnother(owner.email, [signIn(owner), change(owner)])
    expect(early).toMatchObject({ status: 200 })
    expect(changed).toMatchObject({ status: 204 })
    expect(await sessionsOf(owner)).toBe(1)
  })

  test('begins no second step', async () => {
    const owner = await guarded()
    const [, late] = await oneAfterAnother(owner.email, [change(owner), signIn(owner)])
    expect(late).toMatchObject(wrong)
    expect(await query(`SELECT FROM portico.second_steps WHERE ${ofPerson}`, owner.email)).toEqual([])
  })

  test('does not complete its second step', async () => {
    const owner = await guarded()
    const { token } = (await signIn(owner)()).json<{ token: string }>()
    const [, late] = await oneAfterAnother(owner.email, [change(owner), () => login({ token, code: owner.code })])
    expect(late).toMatchObject({ ...wrong, body: { error: { details: { step: 'password' } } } })
    expect(await sessionsOf(owner)).toBe(1)
  })

  test('does not complete its second step once the operator has turned two-factor off', async () => {
    const owner = await guarded()
    const { token } = (await signIn(owner)()).json<{ token: string }>()
    const by = { actor: 'operator', address: null, via: { kind: 'command-line' as const } }
    const drop = () => dropTwoFactor(portal.parts.database.db, owner.email, by)
    const [, late] = await oneAfterAnother(owner.email, [drop, () => login({ token, code: owner.code })])
    expect(late).toMatchObject(wrong)
    expect(await sessionsOf(owner)).toBe(0)
  })

  test('starts no session without a code once two-factor is on', async () => {
    const owner = await member()
    const turnOn = 'UPDATE portico.persons SET two_factor_since = now() WHERE email = $1'
    const [late] = await oneAfterAnother(owner.email, [signIn(owner)], turnOn)
    expect(late).toMatchObject(wrong)
    expect(await sessionsOf(owner)).toBe(1)
    expect((await signIn(owner)()).body).toMatchObject({ isTwoFactor: true })
  })

  test('starts no session if the identity is disabled or the account suspended', async () => {
    const outside = [{ status: expect.toBeOneOf([401, 403]) }]
    const owner = await member()
    const disable = `UPDATE portico.identities SET is_disabled = true WHERE ${ofPerson}`
    expect(await oneAfterAnother(owner.email, [signIn(owner)], disable)).toMatchObject(outside)
    const other = await member()
    const suspend = `UPDATE portico.accounts SET suspended_at = now() WHERE id =
      (SELECT account_id FROM portico.identities WHERE ${ofPerson})`
    expect(await oneAfterAnother(other.email, [signIn(other)], suspend)).toMatchObject(outside)
    expect([await sessionsOf(owner), await sessionsOf(other)]).toEqual([1, 1])
  })

  test('gives no link to replace a generated password', async () => {
    const owner = await member()
    await query('UPDATE portico.persons SET password_is_temporary = true WHERE email = $1', owner.email)
    const link = await resetLink(owner)
    const [, late] = await oneAfterAnother(owner.email, [() => reset(link), signIn(owner)])
    expect(late).toMatchObject(wrong)
    expect(await query(`SELECT FROM portico.person_links WHERE ${ofPerson} AND used_at IS NULL`, owner.email)).toEqual(
      [],
    )
  })
})

describe('the old password in a session', () => {
  const invalid = (field: string) => ({ status: 400, body: { error: { details: [{ field }] } } })

  test('confirms nothing after a change in the same session', async () => {
    const owner = await member()
    const confirm = () => owner.post(`${base}/profile/given-password`, { password: testPassword })
    const [, late] = await oneAfterAnother(owner.email, [change(owner), confirm])
    expect(late).toMatchObject(invalid('password'))
  })

  test('changes nothing after another change', async () => {
    const owner = await member()
    const [, late] = await oneAfterAnother(owner.email, [change(owner), change(owner, 'chosen by a stranger')])
    expect(late).toMatchObject(invalid('currentPassword'))
    expect(await signIn(owner, newPassword)()).toMatchObject({ status: 200 })
  })

  test('changes nothing after a reset, which has ended the session', async () => {
    const owner = await member()
    const link = await resetLink(owner)
    const [, late] = await oneAfterAnother(owner.email, [() => reset(link), change(owner, 'chosen by a stranger')])
    expect(late).toMatchObject(invalid('currentPassword'))
    expect(await signIn(owner, newPassword)()).toMatchObject({ status: 200 })
  })

  test('changes nothing once its session has ended', async () => {
    const owner = await member()
    const end = `UPDATE portico.sessions SET revoked_at = now() WHERE ${ofPerson}`
    expect(await oneAfterAnother(owner.email, [change(owner)], end)).toMatchObject([ended])
    expect(await signIn(owner)()).toMatchObject({ status: 200 })
  })

  test('does not set up two-factor, which would lock its owner out', async () => {
    const owner = await member()
    const setUp = () => owner.post(`${base}/profile/two-factor`, { password: testPassword })
    const [, late] = await oneAfterAnother(owner.email, [change(owner), setUp])
    expect(late).toMatchObject(invalid('password'))
  })

  test('neither turns two-factor off nor gets new recovery codes', async () => {
    const owner = await guarded()
    const [first = '', second = ''] = owner.recoveryCodes
    const off = () => owner.delete(`${base}/profile/two-factor`, { password: testPassword, code: first })
    const renew = () =>
      owner.post(`${base}/profile/two-factor/recovery-codes`, { password: testPassword, code: second })
    const [, late, later] = await oneAfterAnother(owner.email, [change(owner), off, renew])
    expect([late, later]).toMatchObject([invalid('password'), invalid('password')])
  })
})

test('an ended session cannot turn two-factor on', async () => {
  await untilStepsLast()
  const owner = await member()
  const { secret } = (await owner.post(`${base}/profile/two-factor`, { password: testPassword })).json<{
    secret: string
  }>()
  const confirm = () => owner.post(`${base}/profile/two-factor/confirmation`, { code: codeOf(secret) })
  const end = `UPDATE portico.sessions SET revoked_at = now() WHERE ${ofPerson}`
  expect(await oneAfterAnother(owner.email, [confirm], end)).toMatchObject([ended])
  expect(await signIn(owner)()).toMatchObject({ status: 200, body: { isTwoFactor: false } })
})

test('of two invitations registered at once, the second does not replace the password', async () => {
  const email = 'twice@example.com'
  await invite(portal, email, await portal.account())
  const first = secretIn(await waitForMessage(portal, email))
  await invite(portal, email, await portal.account())
  const second = secretIn(await waitForMessage(portal, email, 2))
  const register = (invitation: string, password: string) => () =>
    portal.anonymous.post(`${base}/register`, { invitation, password, userName: 'Twice' })
  const answers = await oneAfterAnother(email, [register(first, newPassword), register(second, 'chosen by a stranger')])
  expect(answers).toMatchObject([{ status: 200 }, { status: 403, body: { error: { code: 'link_invalid' } } }])
  expect(await signIn({ email }, newPassword)()).toMatchObject({ status: 200 })
})

describe('a link for a forgotten password', () => {
  test('stays valid when the password is changed in a session, so its owner cannot be locked out', async () => {
    const owner = await member()
    const link = await resetLink(owner)
    expect(await change(owner, 'chosen by a stranger')()).toMatchObject({ status: 204 })
    expect(await reset(link)).toMatchObject({ status: 200 })
    expect(await sessionsOf(owner)).toBe(0)
    expect(await reset(link, 'chosen once more')).toMatchObject({ status: 403 })
  })

  test('ends when a generated password is replaced, as its holder may have received the link', async () => {
    const owner = await member()
    await query('UPDATE portico.persons SET password_is_temporary = true WHERE email = $1', owner.email)
    const refused = await signIn(owner)()
    const { link } = refused.json<{ error: { details: { link: string } } }>().error.details
    expect(await change(owner)()).toMatchObject({ status: 204 })
    expect(await reset(link)).toMatchObject({ status: 403 })
  })
})
