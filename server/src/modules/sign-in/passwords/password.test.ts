import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '#test/stand-ins/authenticator.ts'
import { invite, messagesTo, secretIn, waitForMessage } from '#test/stand-ins/mailbox.ts'
import { type Member, startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal({ company: 'Example Company', product: 'Examplary' })
  await portal.startWorker()
})
afterAll(() => portal.close())

const newPassword = 'a rather long password'
const run = async (sql: string, ...values: unknown[]) => (await portal.parts.database.pool.query(sql, values)).rows
const member = async (): Promise<Member> => portal.member(await portal.account())
const signIn = (email: string, password: string) =>
  portal.anonymous.post('/identity/v1/login', { email, password }).then(({ status }) => status)
const reset = (link: string, password = newPassword) =>
  portal.anonymous.post('/identity/v1/reset-password', { link, password })
const change = (who: Member, body: object = {}) =>
  who.put('/identity/v1/profile/password', { currentPassword: testPassword, newPassword, ...body })

let lastAddress = 0
/** Each request comes from a different address unless one is given. */
const forgot = (email: string, remoteAddress = `10.1.${++lastAddress >> 8}.${lastAddress & 255}`) =>
  portal.app.inject({
    method: 'POST',
    url: '/api/identity/v1/forgot-password',
    payload: { email },
    remoteAddress,
  })

async function resetLink(email: string, count = 1): Promise<string> {
  expect((await forgot(email)).statusCode).toBe(204)
  await waitForMessage(portal, email, count)
  // Emails are sent by jobs of different kinds, so another one may come after it.
  return (await messagesTo(portal, email)).map(secretIn).findLast((secret) => secret !== '') ?? ''
}

/** A second session of the same person. */
async function anotherSession(who: Member) {
  const token = await portal.signIn(who.email)
  const entered = await portal.holder(token).get(`/identity/v1/login/${who.account}`)
  return portal.holder(entered.json<{ token: string }>().token)
}

async function impersonationOf(who: Member): Promise<() => Promise<boolean>> {
  const id = crypto.randomUUID()
  await run(
    `INSERT INTO portico.impersonations (id, person_id, account_id, address, created_at, expires_at)
     SELECT $1, id, $2, '127.0.0.1', now(), now() + interval '1 hour' FROM portico.persons WHERE email = $3`,
    id,
    who.account,
    who.email,
  )
  return async () =>
    (await run('SELECT 1 FROM portico.impersonations WHERE id = $1 AND revoked_at IS NULL', id)).length > 0
}

describe('a forgotten password', () => {
  test('is replaced with a link that works once', async () => {
    const who = await member()
    const link = await resetLink(who.email)
    const [message] = await messagesTo(portal, who.email)
    expect(message?.subject).toBe('Reset your password for Examplary')
    expect(message?.text).toContain(`/reset-password#link=${link}\n`)
    const look = () => portal.anonymous.post('/identity/v1/password-resets', { link })
    expect(await look()).toMatchObject({ status: 200, body: { email: who.email } })
    const answer = await reset(link)
    expect(answer).toMatchObject({ status: 200, body: { email: who.email } })
    expect(await look()).toMatchObject({ status: 403, body: { error: { code: 'link_invalid' } } })
    expect(await signIn(who.email, testPassword)).toBe(401)
    expect(await signIn(who.email, newPassword)).toBe(200)
    expect(await reset(link, 'yet another password')).toMatchObject({
      status: 403,
      body: { error: { code: 'link_invalid' } },
    })
    const { passwordChangedAt } = (await anotherSessionProfile(who.email)).body as { passwordChangedAt: string }
    expect(Date.now() - Date.parse(passwordChangedAt)).toBeLessThan(60_000)
  })

  const anotherSessionProfile = async (email: string) => {
    const { token } = (await portal.anonymous.post('/identity/v1/login', { email, password: newPassword })).json<{
      token: string
    }>()
    return portal.holder(token).get('/identity/v1/profile')
  }

  test('ends all sessions and impersonation links when reset, with an email and an audit entry', async () => {
    const who = await member()
    const other = await anotherSession(who)
    const isImpersonated = await impersonationOf(who)
    await reset(await resetLink(who.email))
    expect((await who.get('/identity/v1/user')).status).toBe(401)
    expect((await other.get('/identity/v1/user')).status).toBe(401)
    expect(await isImpersonated()).toBe(false)
    expect((await waitForMessage(portal, who.email, 2)).subject).toBe('Your password for Examplary was changed')
    expect(
      await run(
        `SELECT account_id, actor, details FROM portico.audit_log WHERE action = 'password reset' AND subject = $1`,
        who.email,
      ),
    ).toEqual([{ account_id: who.account, actor: who.email, details: { endedSessions: 2 } }])
  })

  test('has a link that expires after an hour, and is replaced by the next one', async () => {
    const who = await member()
    const first = await resetLink(who.email)
    const second = await resetLink(who.email, 2)
    expect((await reset(first)).status).toBe(403)
    const [row] = await run(
      "SELECT max(expires_at - created_at) = interval '1 hour' AS is_hour FROM portico.person_links",
    )
    expect(row).toEqual({ is_hour: true })
    await run(`UPDATE portico.person_links SET expires_at = expires_at - interval '1 hour'`)
    expect((await reset(second)).body).toMatchObject({ error: { code: 'link_invalid' } })
  })

  test('gets the same response for an unknown email, which is sent nothing', async () => {
    const known = await forgot((await member()).email)
    const unknown = await forgot('nobody@example.com')
    const told = ({ statusCode, body }: typeof known) => ({ statusCode, body })
    expect(told(unknown)).toEqual(told(known))
    // The same job is enqueued; it looks up the person.
    const jobs = async () => run(`SELECT state FROM jobs.job WHERE data->>'email' = 'nobody@example.com'`)
    await expect.poll(jobs, { timeout: 20_000 }).toEqual([{ state: 'completed' }])
    expect(await messagesTo(portal, 'nobody@example.com')).toEqual([])
  })

  test('of an invited person sends another invitation', async () => {
    await invite(portal, 'invited@example.com', await portal.account())
    const first = secretIn(await waitForMessage(portal, 'invited@example.com'))
    await forgot('invited@example.com')
    const message = await waitForMessage(portal, 'invited@example.com', 2)
    expect(message.text).toContain('/register#invitation=')
    expect((await portal.anonymous.get(`/identity/v1/invitations/${first}`)).status).toBe(403)
    const shown = await portal.anonymous.get(`/identity/v1/invitations/${secretIn(message)}`)
    expect(shown).toMatchObject({ status: 200, body: { invitedBy: 'grace@example.com' } })
  })

  test('sends at most five emails an hour to one recipient, for all callers and concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => forgot('Flooded@example.com')))
    const taken = answers.filter(({ statusCode }) => statusCode === 204).length
    expect(taken).toBeLessThanOrEqual(5)
    for (let more = taken; more < 5; more++) expect((await forgot('flooded@example.com')).statusCode).toBe(204)
    const refused = await forgot('flooded@example.com')
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toMatchObject({ error: { code: 'too_many_requests' } })
    await run(`UPDATE portico.password_requests SET requested_at = requested_at - interval '1 hour'`)
    expect((await forgot('flooded@example.com')).statusCode).toBe(204)
  })

  test('sends at most twenty emails an hour for one network address', async () => {
    for (let count = 0; count < 20; count++) {
      expect((await forgot(`somebody-${count}@example.com`, '192.0.2.7')).statusCode).toBe(204)
    }
    expect((await forgot('one-more@example.com', '192.0.2.7')).statusCode).toBe(429)
    expect((await forgot('one-more@example.com', '192.0.2.8')).statusCode).toBe(204)
  })

  test('is refused with the field if the email is invalid or the new password is not good', async () => {
    expect((await forgot('nobody')).json()).toMatchObject({
      error: { details: [{ field: 'email', message: 'Value is invalid!' }] },
    })
    const who = await member()
    const link = await resetLink(who.email)
    expect((await reset(link, 'password123')).body).toMatchObject({ error: { details: [{ field: 'password' }] } })
    expect((await reset(link)).status).toBe(200)
  })

  test('does not bypass two-factor', async () => {
    const who = await member()
    const twoFactor = '/identity/v1/profile/two-factor'
    const { secret } = (await who.post(twoFactor, { password: testPassword })).json<{ secret: string }>()
    expect((await who.post(`${twoFactor}/confirmation`, { code: codeOf(secret) })).status).toBe(200)
    const link = await resetLink(who.email, 2)
    const answer = await reset(link)
    expect(answer).toMatchObject({ status: 200, body: { email: who.email } })
    expect(answer.body).not.toHaveProperty('token')
    const first = await portal.anonymous.post('/identity/v1/login', { email: who.email, password: newPassword })
    expect(first.body).toEqual({ isTwoFactor: true, token: expect.any(String) })
  })

  test('unlocks a person who was locked out by guessing', async () => {
    const who = await member()
    for (let count = 0; count < 10; count++) await signIn(who.email, 'wrong')
    expect(await signIn(who.email, testPassword)).toBe(429)
    await reset(await resetLink(who.email))
    expect(await signIn(who.email, newPassword)).toBe(200)
  })
})

describe('changing the password', () => {
  test('requires the current one; other sessions and impersonation links end, and this one continues', async () => {
    const who = await member()
    const other = await anotherSession(who)
    const isImpersonated = await impersonationOf(who)
    const pending = await resetLink(who.email)
    expect((await change(who)).status).toBe(204)
    expect((await who.get('/identity/v1/user')).status).toBe(200)
    expect((await other.get('/identity/v1/user')).status).toBe(401)
    expect(await isImpersonated()).toBe(false)
    expect(await signIn(who.email, testPassword)).toBe(401)
    expect(await signIn(who.email, newPassword)).toBe(200)
    expect((await waitForMessage(portal, who.email, 2)).subject).toBe('Your password for Examplary was changed')
    expect(
      await run(
        `SELECT account_id FROM portico.audit_log WHERE action = 'password changed' AND subject = $1`,
        who.email,
      ),
    ).toEqual([{ account_id: who.account }])
    // The link in the mailbox stays valid: `password-in-flight.test.ts`.
    expect((await reset(pending, 'another long password')).status).toBe(200)
  })

  test('treats composed and decomposed letters alike', async () => {
    const who = await member()
    expect((await change(who, { newPassword: 'caf\u00e9 au lait' })).status).toBe(204)
    expect(await signIn(who.email, 'cafe\u0301 au lait')).toBe(200)
  })

  test('is refused with the field if the current one is wrong, and the session continues', async () => {
    const who = await member()
    const answer = await change(who, { currentPassword: 'wrong' })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      error: { code: 'invalid_input', details: [{ field: 'currentPassword', message: 'The password is wrong.' }] },
    })
    expect(await signIn(who.email, testPassword)).toBe(200)
  })

  test('cannot be used for guessing: ten wrong ones lock this call and the sign-in', async () => {
    const who = await member()
    for (let count = 0; count < 10; count++) expect((await change(who, { currentPassword: 'wrong' })).status).toBe(400)
    expect(await change(who)).toMatchObject({ status: 429, body: { error: { code: 'too_many_attempts' } } })
    expect(await signIn(who.email, testPassword)).toBe(429)
  })

  test('is refused if the new one equals the current one, or is not good', async () => {
    const who = await member()
    const problem = async (password: string) => (await change(who, { newPassword: password })).body
    expect(await problem(testPassword)).toMatchObject({
      error: { details: [{ field: 'newPassword', message: 'Choose a password that differs from your current one.' }] },
    })
    expect(await problem('Password1')).toMatchObject({ error: { details: [{ field: 'newPassword' }] } })
    expect(await problem('x'.repeat(129))).toMatchObject({
      error: { details: [{ message: 'Use at most 128 characters.' }] },
    })
  })

  test('requires a session', async () => {
    expect(
      (await portal.anonymous.put('/identity/v1/profile/password', { currentPassword: 'x', newPassword })).status,
    ).toBe(401)
  })
})
