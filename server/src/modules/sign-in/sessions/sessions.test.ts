import { hkdfSync } from 'node:crypto'
import { decodeJwt, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let account: number

beforeAll(async () => {
  portal = await startPortal()
  account = await portal.account()
})
afterAll(() => portal.close())

// Routes by the access they require: a session, or a policy.
const forAnybody = '/identity/v1/accounts'
const forImporters = '/contact-service/v1/uploads/file.csv'

/** Moves the times of the member's session into the past, as if the minutes had passed. */
async function letMinutesPass(member: Member, minutes: number): Promise<void> {
  await portal.parts.database.pool.query(
    `UPDATE portico.sessions SET last_seen_at = last_seen_at - make_interval(secs => $2),
       created_at = created_at - make_interval(secs => $2), expires_at = expires_at - make_interval(secs => $2)
     WHERE person_id = (SELECT id FROM portico.persons WHERE email = $1)`,
    [member.email, minutes * 60],
  )
}

async function minutesSinceLastSeen(member: Member): Promise<number> {
  const { rows } = await portal.parts.database.pool.query<{ minutes: number }>(
    `SELECT extract(epoch FROM now() - last_seen_at)::float / 60 AS minutes
     FROM portico.sessions s JOIN portico.persons p ON p.id = s.person_id WHERE p.email = $1`,
    [member.email],
  )
  return rows[0]?.minutes ?? Number.NaN
}

/** The message of the refusal that the member receives. */
async function refusalOf(member: Member): Promise<string> {
  const reply = await member.get(forAnybody)
  expect(reply.status).toBe(401)
  const { error } = reply.json<{ error: { code: string; message: string } }>()
  expect(error.code).toBe('not_signed_in')
  return error.message
}

describe('a token', () => {
  test('is accepted with the word Bearer in any letter case, or bare', async () => {
    const { token } = await portal.member(account)
    for (const authorization of [`Bearer ${token}`, `bearer ${token}`, token]) {
      const reply = await portal.app.inject({ url: `/api${forAnybody}`, headers: { authorization } })
      expect(reply.statusCode).toBe(200)
    }
  })

  test('is refused if its claims were changed, or if another key signed it', async () => {
    const { token } = await portal.member(account)
    const [header, claims, signature] = token.split('.')
    const decoded = JSON.parse(Buffer.from(claims ?? '', 'base64url').toString()) as object
    const forged = Buffer.from(JSON.stringify({ ...decoded, aid: account + 1, pa: true })).toString('base64url')
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
    const elsewhere = await startPortal()
    const foreign = await elsewhere.member(await elsewhere.account())
    await elsewhere.close()
    const refused = [`${header}.${forged}.${signature}`, `${unsigned}.${claims}.`, `${unsigned}.${claims}.x`, 'a.b.c']
    for (const authorization of [...refused, foreign.token]) {
      const reply = await portal.app.inject({ url: `/api${forAnybody}`, headers: { authorization } })
      expect(reply.statusCode).toBe(401)
    }
  })

  test('is refused if it was signed for another purpose, or for none', async () => {
    const { token } = await portal.member(account)
    const claims = decodeJwt(token)
    expect(claims.aud).toBe('portico session')
    // Derived as in tokens.ts.
    const key = Buffer.from(hkdfSync('sha256', portal.parts.config.secretKey[0], '', 'portico tokens', 32))
    const signed = (aud?: string): Promise<string> => {
      const { aud: _own, ...others } = claims
      return new SignJWT({ ...others, ...(aud && { aud }) }).setProtectedHeader({ alg: 'HS256' }).sign(key)
    }
    expect((await portal.holder(await signed('portico session')).get(forAnybody)).status).toBe(200)
    for (const aud of ['portico impersonation link', 'portico file', undefined]) {
      expect(await portal.holder(await signed(aud)).get(forAnybody)).toMatchObject({ status: 401 })
    }
  })

  test('without an account gives access only to calls that need none', async () => {
    const { email } = await portal.member(account)
    const halfToken = await portal.signIn(email)
    expect((await portal.holder(halfToken).get(forAnybody)).status).toBe(200)
    const reply = await portal.holder(halfToken).get(forImporters)
    expect(reply.status).toBe(401)
    expect(reply.body).toMatchObject({ error: { message: 'Please choose an account.' } })
  })
})

describe('a session', () => {
  test('ends with logout, for all of its tokens', async () => {
    const member = await portal.member(account)
    const other = (await member.get(`/identity/v1/login/${account}`)).json<{ token: string }>()
    expect((await member.post('/identity/v1/logout')).status).toBe(204)
    expect(await refusalOf(member)).toBe('Your session has ended. Please sign in again.')
    expect((await portal.holder(other.token).get(forAnybody)).status).toBe(401)
  })

  test('ends after idling longer than the account allows', async () => {
    const member = await portal.member(account)
    await letMinutesPass(member, 29)
    expect((await member.get(forAnybody)).status).toBe(200)
    await letMinutesPass(member, 32)
    expect(await refusalOf(member)).toBe('You were signed out after 30 minutes without activity. Please sign in again.')
  })

  test('may idle longer if the account allows it', async () => {
    const patient = await portal.account()
    await portal.parts.database.pool.query('UPDATE portico.accounts SET timeout_minutes = 60 WHERE id = $1', [patient])
    const member = await portal.member(patient)
    await letMinutesPass(member, 59)
    expect((await member.get(forAnybody)).status).toBe(200)
    await letMinutesPass(member, 62)
    expect(await refusalOf(member)).toBe('You were signed out after 60 minutes without activity. Please sign in again.')
  })

  test('continues while there are requests, recorded at most once a minute', async () => {
    const member = await portal.member(account)
    for (let quarter = 0; quarter < 4; quarter++) {
      await letMinutesPass(member, 15)
      expect((await member.get(forAnybody)).status).toBe(200)
      expect(await minutesSinceLastSeen(member)).toBeLessThan(0.5)
    }
    await letMinutesPass(member, 0.9)
    await member.get(forAnybody)
    expect(await minutesSinceLastSeen(member)).toBeGreaterThan(0.8)
  })

  test('is not extended by passive calls of an open page', async () => {
    const member = await portal.member(account)
    const page = portal.asking({ authorization: `Bearer ${member.token}`, 'x-passive': '1' })
    for (const minutes of [15, 15]) {
      await letMinutesPass(member, minutes)
      expect((await page.get(forAnybody)).status).toBe(200)
    }
    expect(await minutesSinceLastSeen(member)).toBeGreaterThan(29)
    await letMinutesPass(member, 2)
    expect((await page.get(forAnybody)).status).toBe(401)
    expect(await refusalOf(member)).toBe('You were signed out after 30 minutes without activity. Please sign in again.')
  })

  test('is not extended by requests after it has ended', async () => {
    const member = await portal.member(account)
    await letMinutesPass(member, 35)
    expect((await member.get(forAnybody)).status).toBe(401)
    expect(await minutesSinceLastSeen(member)).toBeGreaterThan(34)
  })

  test('ends after 12 hours, regardless of activity', async () => {
    const member = await portal.member(account)
    await letMinutesPass(member, 12 * 60)
    await portal.parts.database.pool.query(
      'UPDATE portico.sessions SET last_seen_at = now() WHERE expires_at <= now() AND revoked_at IS NULL',
    )
    expect(await refusalOf(member)).toBe('You were signed out after 12 hours. Please sign in again.')
  })

  test('that ended long ago is deleted when its owner signs in', async () => {
    const member = await portal.member(account)
    await letMinutesPass(member, 30 * 24 * 60)
    await portal.signIn(member.email)
    expect(await refusalOf(member)).toBe('Your session has ended. Please sign in again.')
  })
})

describe('rights', () => {
  test('are lost at once with the identity', async () => {
    const member = await portal.member(account)
    const { pool } = portal.parts.database
    const ofMember = 'FROM portico.persons p WHERE p.id = person_id AND p.email = $1'
    await pool.query(`UPDATE portico.identities SET is_disabled = true ${ofMember}`, [member.email])
    expect(await refusalOf(member)).toBe('You no longer have access to this account. Please sign in again.')
    await pool.query(`UPDATE portico.identities SET is_disabled = false ${ofMember}`, [member.email])
    expect((await member.get(forAnybody)).status).toBe(200)
    await pool.query(`DELETE FROM portico.identities USING portico.persons p WHERE p.id = person_id AND p.email = $1`, [
      member.email,
    ])
    expect((await member.get(forAnybody)).status).toBe(401)
  })

  test('change at once with the policy', async () => {
    const member = await portal.member(account, 'contact-service::exports::get')
    const refused = await member.get(forImporters)
    expect(refused.status).toBe(403)
    expect(refused.body).toMatchObject({
      error: { code: 'not_allowed', details: { action: 'contact-service::uploads::get' } },
    })
    await portal.parts.database.pool.query(
      `UPDATE portico.policies SET actions = '{contact-service::uploads::*}' WHERE account_id = $1`,
      [account],
    )
    expect((await member.get(forImporters)).status).toBe(200)
  })

  test('in one account do not apply in another', async () => {
    const other = await portal.account()
    const member = await portal.member(account)
    const { rows } = await portal.parts.database.pool.query<{ id: string }>(
      `INSERT INTO portico.identities (id, person_id, account_id, accepted_at)
       SELECT gen_random_uuid(), id, $2, now() FROM portico.persons WHERE email = $1 RETURNING id`,
      [member.email, other],
    )
    expect(rows).toHaveLength(1)
    const { token } = (await member.get(`/identity/v1/login/${other}`)).json<{ token: string }>()
    expect((await member.get(forImporters)).status).toBe(200)
    expect((await portal.holder(token).get(forImporters)).status).toBe(403)
  })

  test('of concurrent requests are those of each caller', async () => {
    const members = await Promise.all([
      portal.member(account),
      portal.member(account, 'bi::dashboards::get'),
      portal.member(await portal.account()),
    ])
    const asked = Array.from({ length: 10 }, () => members.map((member) => member.get(forImporters))).flat()
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses).toEqual(Array.from({ length: 10 }, () => [200, 403, 200]).flat())
  })
})
