import type { Profile } from '@portico/contract/own-account'
import type { User } from '@portico/contract/sign-in'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, untilStepsLast, wrongCode } from '#test/stand-ins/authenticator.ts'
import { messagesTo, waitForMessage } from '#test/stand-ins/mailbox.ts'
import { type Answer, type Member, startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal({ product: 'Example: Hub' })
  await portal.startWorker()
})
afterAll(() => portal.close())

const path = '/identity/v1/profile/two-factor'
const run = async (sql: string, ...values: unknown[]) => (await portal.parts.database.pool.query(sql, values)).rows
const someone = async (): Promise<Member> => portal.member(await portal.account())

type SetUp = { secret: string; uri: string; qrCode: string }
type On = { who: Member; secret: string; recoveryCodes: string[] }

/** Advances time, so that the current code has not been used yet. */
const letStepsPass = (email: string) =>
  run('UPDATE portico.persons SET two_factor_last_step = two_factor_last_step - 10 WHERE email = $1', email)

async function turnedOn(): Promise<On> {
  const who = await someone()
  const { secret } = (await who.post(path, { password: testPassword })).json<SetUp>()
  const confirmed = await who.post(`${path}/confirmation`, { code: codeOf(secret) })
  await letStepsPass(who.email)
  return { who, secret, recoveryCodes: confirmed.json<{ recoveryCodes: string[] }>().recoveryCodes }
}

const firstStep = async (email: string) => {
  const answer = await portal.anonymous.post('/identity/v1/login', { email, password: testPassword })
  return answer.json<{ isTwoFactor: boolean; token: string }>()
}
const secondStep = (token: string, code: string): Promise<Answer> =>
  portal.anonymous.post('/identity/v1/login', { token, code })

const status = async (who: Member) => (await who.get('/identity/v1/profile')).json<Profile>().twoFactor
const auditOf = async (who: Member) =>
  (await run('SELECT action FROM portico.audit_log WHERE subject = $1 ORDER BY id', who.email)).map(
    ({ action }: { action: string }) => action,
  )

describe('turning two-factor on', () => {
  test('shows the secret as an image, an address and text, and takes effect once a code is confirmed', async () => {
    const who = await someone()
    const answer = await who.post(path, { password: testPassword })
    const { secret, uri, qrCode } = answer.json<SetUp>()
    expect(secret).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/)
    expect(uri).toContain(`secret=${secret.replaceAll(' ', '')}`)
    expect(uri).toMatch(/^otpauth:\/\/totp\/Example%20%20Hub:member-\d+(%40|@)example\.com\?/)
    const [, svg = ''] = /^data:image\/svg\+xml;base64,(.+)$/.exec(qrCode) ?? []
    expect(Buffer.from(svg, 'base64').toString()).toMatch(/^<svg /)
    expect(await status(who)).toEqual({ isOn: false, since: null, recoveryCodesLeft: 0 })
    expect((await firstStep(who.email)).isTwoFactor).toBe(false)
  })

  test('returns ten recovery codes, once; later sign-ins require a code', async () => {
    const { who, recoveryCodes } = await turnedOn()
    expect(recoveryCodes).toHaveLength(10)
    expect(new Set(recoveryCodes).size).toBe(10)
    for (const code of recoveryCodes) expect(code).toMatch(/^[a-km-np-z2-9]{5}-[a-km-np-z2-9]{5}$/)
    const { isOn, since, recoveryCodesLeft } = await status(who)
    expect({ isOn, recoveryCodesLeft }).toEqual({ isOn: true, recoveryCodesLeft: 10 })
    expect(Date.now() - Date.parse(since ?? '')).toBeLessThan(60_000)
    expect((await firstStep(who.email)).isTwoFactor).toBe(true)
    expect((await waitForMessage(portal, who.email)).subject).toBe('Two-factor was turned on for Example: Hub')
    expect(await auditOf(who)).toContain('two-factor turned on')
  })

  test('requires the password, and a code for the secret', async () => {
    const who = await someone()
    expect((await who.post(path, { password: 'wrong' })).body).toMatchObject({
      error: { code: 'invalid_input', details: [{ field: 'password', message: 'The password is wrong.' }] },
    })
    const early = await who.post(`${path}/confirmation`, { code: '123456' })
    expect(early.body).toMatchObject({ error: { details: [{ field: 'code', message: 'Set up two-factor first.' }] } })
    const { secret } = (await who.post(path, { password: testPassword })).json<SetUp>()
    const wrong = await who.post(`${path}/confirmation`, { code: wrongCode(secret) })
    expect(wrong.body).toMatchObject({
      error: { details: [{ field: 'code', message: expect.stringContaining('wrong') }] },
    })
    expect((await status(who)).isOn).toBe(false)
  })

  test('replaces the secret if restarted; once on, it has to be turned off first', async () => {
    const who = await someone()
    const first = (await who.post(path, { password: testPassword })).json<SetUp>()
    const second = (await who.post(path, { password: testPassword })).json<SetUp>()
    expect((await who.post(`${path}/confirmation`, { code: codeOf(first.secret) })).status).toBe(400)
    expect((await who.post(`${path}/confirmation`, { code: codeOf(second.secret) })).status).toBe(200)
    expect(await who.post(path, { password: testPassword })).toMatchObject({
      status: 409,
      body: { error: { code: 'name_taken' } },
    })
    expect((await who.post(`${path}/confirmation`, { code: codeOf(second.secret, 1) })).status).toBe(400)
  })

  test('stores the secret encrypted and the codes hashed', async () => {
    const { who, secret, recoveryCodes } = await turnedOn()
    const rows = await run(
      `SELECT p::text AS person, (SELECT json_agg(c) FROM portico.recovery_codes c WHERE person_id = p.id)::text AS codes
       FROM portico.persons p WHERE email = $1`,
      who.email,
    )
    const kept = JSON.stringify(rows)
    expect(kept).not.toContain(secret.replaceAll(' ', ''))
    for (const code of recoveryCodes) expect(kept).not.toContain(code.slice(0, 5))
    // Fifty bits can be brute-forced, so each hash is slow and salted.
    const ofCodes = (JSON.parse(rows[0]?.codes) as { code_hash: string }[]).map(({ code_hash: hash }) => hash)
    for (const hash of ofCodes) expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(new Set(ofCodes).size).toBe(10)
  })

  test('requires a session', async () => {
    expect((await portal.anonymous.post(path, { password: testPassword })).status).toBe(401)
  })
})

describe('signing in with two-factor', () => {
  test('accepts a code with the token of the first step, which is valid for nothing else', async () => {
    const { who, secret } = await turnedOn()
    const { token } = await firstStep(who.email)
    for (const call of ['/identity/v1/accounts', '/identity/v1/profile', `/identity/v1/login/${who.account}`]) {
      expect((await portal.holder(token).get(call)).status).toBe(401)
    }
    const answer = await secondStep(token, codeOf(secret))
    expect(answer.status).toBe(200)
    const signedIn = answer.json<{ isTwoFactor: boolean; token: string; user: User; accounts: unknown[] }>()
    expect(signedIn).toMatchObject({ isTwoFactor: false, user: { email: who.email } })
    expect(signedIn.accounts).toHaveLength(1)
    expect((await portal.holder(signedIn.token).get(`/identity/v1/login/${who.account}`)).status).toBe(200)
  })

  test('uses up the token', async () => {
    const { who, secret } = await turnedOn()
    const { token } = await firstStep(who.email)
    expect((await secondStep(token, codeOf(secret))).status).toBe(200)
    await letStepsPass(who.email)
    expect(await secondStep(token, codeOf(secret))).toMatchObject({
      status: 401,
      body: { error: { code: 'wrong_credentials', details: { step: 'password' } } },
    })
  })

  test.each([-1, 0, 1])('accepts the code %i steps from now', async (steps) => {
    const { who, secret } = await turnedOn()
    const { token } = await firstStep(who.email)
    await untilStepsLast()
    expect((await secondStep(token, codeOf(secret, steps))).status).toBe(200)
  })

  test.each([-3, 3])('refuses the code %i steps from now', async (steps) => {
    const { who, secret } = await turnedOn()
    const { token } = await firstStep(who.email)
    expect((await secondStep(token, codeOf(secret, steps))).status).toBe(401)
  })

  test('accepts a code once, even if it is sent concurrently, and none from before it', async () => {
    const { who, secret } = await turnedOn()
    const tokens = await Promise.all([firstStep(who.email), firstStep(who.email), firstStep(who.email)])
    const code = codeOf(secret)
    const answers = await Promise.all(tokens.map(({ token }) => secondStep(token, code)))
    expect(answers.map((answer) => answer.status).toSorted((one, other) => one - other)).toEqual([200, 401, 401])
    const { token } = await firstStep(who.email)
    expect((await secondStep(token, codeOf(secret, -1))).body).toMatchObject({
      error: { message: 'The code is wrong or has already been used.', details: { step: 'code' } },
    })
  })

  test('accepts each recovery code once, in any notation, counts those left and notifies the person', async () => {
    const { who, recoveryCodes } = await turnedOn()
    const [first = '', second = ''] = recoveryCodes
    await waitForMessage(portal, who.email)
    expect((await secondStep((await firstStep(who.email)).token, first)).status).toBe(200)
    expect((await secondStep((await firstStep(who.email)).token, first)).status).toBe(401)
    const typed = ` ${second.replace('-', ' ').toUpperCase()} `
    expect((await secondStep((await firstStep(who.email)).token, typed)).status).toBe(200)
    expect((await status(who)).recoveryCodesLeft).toBe(8)
    await waitForMessage(portal, who.email, 3)
    const subjects = (await messagesTo(portal, who.email)).map(({ subject }) => subject)
    expect(subjects.filter((subject) => subject === 'A recovery code was used for Example: Hub')).toHaveLength(2)
  })

  test('refuses the recovery code of another person', async () => {
    const [one, other] = [await turnedOn(), await turnedOn()]
    expect((await secondStep((await firstStep(one.who.email)).token, other.recoveryCodes[0] ?? '')).status).toBe(401)
  })

  test('ends after five minutes', async () => {
    const { who, secret } = await turnedOn()
    const { token } = await firstStep(who.email)
    await run(`UPDATE portico.second_steps SET expires_at = expires_at - interval '5 minutes'`)
    expect((await secondStep(token, codeOf(secret))).body).toMatchObject({
      error: {
        code: 'wrong_credentials',
        message: 'The code expired. Please sign in again.',
        details: { step: 'password' },
      },
    })
    expect((await secondStep('made-up-token', '123456')).body).toMatchObject({
      error: { details: { step: 'password' } },
    })
  })

  test('ends when the password is changed in the meantime', async () => {
    const { who, secret } = await turnedOn()
    const { token } = await firstStep(who.email)
    const changed = { currentPassword: testPassword, newPassword: 'a rather long password' }
    expect((await who.put('/identity/v1/profile/password', changed)).status).toBe(204)
    expect((await secondStep(token, codeOf(secret))).body).toMatchObject({ error: { details: { step: 'password' } } })
  })

  test('ends after five wrong codes, even if they are concurrent', async () => {
    const { who, secret } = await turnedOn()
    const { token } = await firstStep(who.email)
    const answers = await Promise.all(Array.from({ length: 9 }, () => secondStep(token, wrongCode(secret))))
    const steps = answers.map((answer) => answer.json<{ error: { details?: { step: string } } }>().error.details?.step)
    expect(steps.filter((step) => step === 'code')).toHaveLength(4)
    expect(steps.filter((step) => step === 'password')).toHaveLength(5)
    expect((await secondStep(token, codeOf(secret))).status).toBe(401)
  })

  test('is locked after ten wrong codes despite correct passwords, also from other addresses', async () => {
    const { who, secret } = await turnedOn()
    for (let count = 0; count < 10; count++) {
      const { token } = await firstStep(who.email)
      expect((await secondStep(token, wrongCode(secret))).status).toBe(401)
    }
    const again = await portal.anonymous.post('/identity/v1/login', { email: who.email, password: testPassword })
    expect(again).toMatchObject({ status: 429, body: { error: { code: 'too_many_attempts' } } })
    const elsewhere = { remoteAddress: '192.0.2.1', method: 'POST' as const, url: '/api/identity/v1/login' }
    const first = await portal.app.inject({ ...elsewhere, payload: { email: who.email, password: testPassword } })
    const { token } = first.json<{ token: string }>()
    const second = await portal.app.inject({ ...elsewhere, payload: { token, code: codeOf(secret) } })
    expect(second.statusCode).toBe(429)
    expect((await auditOf(who)).filter((action) => action.endsWith('locked'))).toEqual([
      'two-factor locked',
      'sign-in locked',
    ])
  })

  test('works for others despite wrong codes, and counts from zero after a correct one', async () => {
    const { who, secret, recoveryCodes } = await turnedOn()
    await run(
      `INSERT INTO portico.login_failures (id, email, address, failed_at)
       SELECT gen_random_uuid(), 'codes of ' || id, 'codes of ' || id, now() FROM portico.persons, generate_series(1, 9)`,
    )
    const wrong = wrongCode(secret)
    for (const code of [recoveryCodes[0] ?? '', wrong, recoveryCodes[1] ?? '']) {
      const { token } = await firstStep(who.email)
      expect((await secondStep(token, code)).status).toBe(code === wrong ? 401 : 200)
    }
  })

  test('names the missing or unknown field', async () => {
    const missing = await portal.anonymous.post('/identity/v1/login', { token: 'x' })
    expect(missing.body).toMatchObject({ error: { details: [{ field: 'code', message: 'Value is required!' }] } })
    const unknown = await portal.anonymous.post('/identity/v1/login', { token: 'x', code: '1', remember: true })
    expect(unknown.body).toMatchObject({ error: { details: [{ field: 'remember' }] } })
  })
})

describe('recovery codes', () => {
  test('are renewed with password and code; the previous ones stop working', async () => {
    const { who, secret, recoveryCodes } = await turnedOn()
    const renewed = await who.post(`${path}/recovery-codes`, { password: testPassword, code: codeOf(secret) })
    const { recoveryCodes: fresh } = renewed.json<{ recoveryCodes: string[] }>()
    expect(fresh).toHaveLength(10)
    expect((await secondStep((await firstStep(who.email)).token, recoveryCodes[0] ?? '')).status).toBe(401)
    expect((await secondStep((await firstStep(who.email)).token, fresh[0] ?? '')).status).toBe(200)
    expect(await auditOf(who)).toContain('recovery codes renewed')
  })

  test('are kept if either is wrong', async () => {
    const { who, secret } = await turnedOn()
    const ask = (body: object) => who.post(`${path}/recovery-codes`, body)
    expect((await ask({ password: 'wrong', code: codeOf(secret) })).body).toMatchObject({
      error: { details: [{ field: 'password' }] },
    })
    expect((await ask({ password: testPassword, code: wrongCode(secret) })).body).toMatchObject({
      error: { details: [{ field: 'code' }] },
    })
    expect((await ask({ password: testPassword, code: '1' })).body).toMatchObject({
      error: { details: [{ field: 'code', message: 'Value is invalid!' }] },
    })
  })

  test('do not exist while two-factor is off', async () => {
    const who = await someone()
    expect((await who.post(`${path}/recovery-codes`, { password: testPassword, code: '123456' })).body).toMatchObject({
      error: { details: [{ field: 'code', message: 'Two-factor is not on.' }] },
    })
  })
})

describe('turning two-factor off', () => {
  test('requires password and code, is reported by email, and ends all codes', async () => {
    const { who, secret, recoveryCodes } = await turnedOn()
    await waitForMessage(portal, who.email)
    expect((await who.delete(path, { password: testPassword, code: codeOf(secret) })).status).toBe(204)
    expect(await status(who)).toEqual({ isOn: false, since: null, recoveryCodesLeft: 0 })
    expect((await firstStep(who.email)).isTwoFactor).toBe(false)
    expect((await waitForMessage(portal, who.email, 2)).subject).toBe('Two-factor was turned off for Example: Hub')
    expect(await auditOf(who)).toContain('two-factor turned off')
    expect(recoveryCodes).toHaveLength(10)
  })

  test('also works with a recovery code if the phone is lost', async () => {
    const { who, recoveryCodes } = await turnedOn()
    expect((await who.delete(path, { password: testPassword, code: recoveryCodes[3] })).status).toBe(204)
  })

  test('is refused without either, and locked after ten wrong codes', async () => {
    const { who, secret } = await turnedOn()
    expect((await who.delete(path, { password: 'wrong', code: codeOf(secret) })).status).toBe(400)
    for (let count = 0; count < 9; count++) {
      expect((await who.delete(path, { password: testPassword, code: wrongCode(secret) })).status).toBe(400)
    }
    expect(await who.delete(path, { password: testPassword, code: codeOf(secret) })).toMatchObject({ status: 429 })
    expect((await status(who)).isOn).toBe(true)
  })

  test('does not affect other people', async () => {
    const [one, other] = [await turnedOn(), await turnedOn()]
    const answer = await one.who.delete(path, { password: testPassword, code: codeOf(other.secret) })
    expect(answer.status).toBe(400)
    expect((await status(other.who)).isOn).toBe(true)
  })
})
