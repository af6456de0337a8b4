import type { OwnSession } from '@portico/contract/own-account'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkOf } from '#test/resources/access.ts'
import { messagesTo, waitForMessage } from '#test/stand-ins/mailbox.ts'
import { type Client, type Member, startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'
import { deviceInWords } from './device.ts'

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal({ product: 'Example' })
  await portal.startWorker()
})
afterAll(() => portal.close())

const path = '/identity/v1/profile/sessions'
const windowsChrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const macSafari =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15'

const run = async (sql: string, ...values: unknown[]) => (await portal.parts.database.pool.query(sql, values)).rows
const someone = async (): Promise<Member> => portal.member(await portal.account())
const list = async (who: Client) => (await who.get(path)).json<OwnSession[]>()

/** Signs in again, with this browser and from this address. */
async function anotherSession(email: string, device = windowsChrome, remoteAddress = '192.0.2.5'): Promise<Client> {
  const reply = await portal.app.inject({
    method: 'POST',
    url: '/api/identity/v1/login',
    headers: { 'user-agent': device },
    payload: { email, password: testPassword },
    remoteAddress,
  })
  expect(reply.statusCode).toBe(200)
  return portal.holder(reply.json<{ token: string }>().token)
}

describe('own sessions', () => {
  test('are listed with device and address in words, the current one first, then by activity', async () => {
    const who = await someone()
    const chrome = await anotherSession(who.email)
    await anotherSession(who.email, macSafari, '2001:db8::1')
    await run(
      `UPDATE portico.sessions SET last_seen_at = last_seen_at - interval '10 minutes' WHERE device = $1`,
      macSafari,
    )
    const sessions = await list(chrome)
    expect(sessions.map(({ device, address, isCurrent }) => [device, address, isCurrent])).toEqual([
      ['Chrome on Windows', '192.0.2.5', true],
      ['An unknown program', '127.0.0.1', false],
      ['Safari on macOS', '2001:db8::1', false],
    ])
    const [first] = sessions
    expect(Date.parse(first?.expiresAt ?? '') - Date.parse(first?.createdAt ?? '')).toBe(12 * 3_600_000)
    expect((await list(who)).find(({ isCurrent }) => isCurrent)?.device).toBe('An unknown program')
  })

  test('omit ended ones: revoked, expired, or idle for longer than any account allows', async () => {
    const who = await someone()
    for (const _ of [1, 2, 3]) await anotherSession(who.email)
    const ids = (await list(who)).filter(({ isCurrent }) => !isCurrent).map(({ _id }) => _id)
    expect(ids).toHaveLength(3)
    await run('UPDATE portico.sessions SET revoked_at = now() WHERE id = $1', ids[0])
    await run('UPDATE portico.sessions SET expires_at = now() WHERE id = $1', ids[1])
    await run(`UPDATE portico.sessions SET last_seen_at = now() - interval '182 minutes' WHERE id = $1`, ids[2])
    expect(await list(who)).toHaveLength(1)
  })

  test('can be ended one by one, at once', async () => {
    const who = await someone()
    const other = await anotherSession(who.email)
    const [, session] = await list(who)
    expect((await who.delete(`${path}/${session?._id}`)).status).toBe(204)
    expect((await other.get('/identity/v1/accounts')).status).toBe(401)
    expect(await list(who)).toHaveLength(1)
    expect((await who.delete(`${path}/${session?._id}`)).status).toBe(404)
    expect(
      await run(`SELECT account_id FROM portico.audit_log WHERE action = 'session ended' AND actor = $1`, who.email),
    ).toEqual([{ account_id: who.account }])
  })

  test('can all be ended except the current one', async () => {
    const who = await someone()
    const others = [await anotherSession(who.email), await anotherSession(who.email, macSafari)]
    expect((await who.delete(path)).body).toEqual({ ended: 2, endedLinks: 0 })
    for (const other of others) expect((await other.get('/identity/v1/accounts')).status).toBe(401)
    expect((await who.get('/identity/v1/user')).status).toBe(200)
    expect((await who.delete(path)).body).toEqual({ ended: 0, endedLinks: 0 })
  })

  test('end with the impersonation links that were created in them, and no others', async () => {
    const who = await someone()
    const half = await anotherSession(who.email)
    const entered = await half.get(`/identity/v1/login/${who.account}`)
    const other = portal.holder(entered.json<{ token: string }>().token)
    const [own, others] = [portal.holder(await linkOf(who)), portal.holder(await linkOf(other))]
    const [, session] = await list(who)
    expect((await who.delete(`${path}/${session?._id}`)).status).toBe(204)
    expect((await others.get('/identity/v1/user')).status).toBe(401)
    expect((await own.get('/identity/v1/user')).status).toBe(200)
  })

  test('end together with the impersonation links of the person, of which they are told by email', async () => {
    const [who, other] = [await someone(), await someone()]
    const [link, others] = [portal.holder(await linkOf(who)), portal.holder(await linkOf(other))]
    expect(await waitForMessage(portal, who.email)).toMatchObject({
      subject: 'New impersonation link on Example',
      text: expect.stringContaining('act with your access'),
    })
    expect((await link.get('/identity/v1/user')).status).toBe(200)
    expect((await who.delete(path)).body).toEqual({ ended: 0, endedLinks: 1 })
    expect((await link.get('/identity/v1/user')).status).toBe(401)
    expect((await others.get('/identity/v1/user')).status).toBe(200)
  })

  test('exclude those of others, which cannot be ended', async () => {
    const [who, other] = [await someone(), await someone()]
    const [session] = await list(other)
    expect((await list(who)).map(({ _id }) => _id)).not.toContain(session?._id)
    for (const id of [session?._id, crypto.randomUUID(), 'x']) {
      expect(await who.delete(`${path}/${id}`)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    }
    await who.delete(path)
    expect((await other.get('/identity/v1/user')).status).toBe(200)
    expect((await portal.anonymous.get(path)).status).toBe(401)
  })

  test('can be ended only within 15 minutes of a sign-in or of entering the password again', async () => {
    const [who, other] = [await someone(), await someone()]
    await anotherSession(who.email)
    const [, session] = await list(who)
    await run(`UPDATE portico.sessions SET password_given_at = password_given_at - interval '16 minutes'`)
    const needed = { status: 403, body: { error: { code: 'password_needed' } } }
    expect(await who.delete(`${path}/${session?._id}`)).toMatchObject(needed)
    expect(await who.delete(path)).toMatchObject(needed)
    expect(await list(who)).toHaveLength(2)
    const given = '/identity/v1/profile/given-password'
    expect(await who.post(given, { password: 'not mine' })).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'password', message: 'The password is wrong.' }] } },
    })
    expect(await who.delete(path)).toMatchObject(needed)
    expect(await who.post(given, { password: testPassword })).toMatchObject({ status: 204 })
    expect(await other.delete(path)).toMatchObject(needed)
    expect((await who.delete(path)).body).toEqual({ ended: 1, endedLinks: 0 })
    expect((await portal.anonymous.post(given, { password: testPassword })).status).toBe(401)
  })

  test('include the current one, which can be ended too', async () => {
    const who = await someone()
    const [session] = await list(who)
    expect((await who.delete(`${path}/${session?._id}`)).status).toBe(204)
    expect((await who.get('/identity/v1/user')).status).toBe(401)
  })
})

describe('a sign-in', () => {
  test('is recorded with the person', async () => {
    const who = await someone()
    const [row] = await run(
      `SELECT last_sign_in_at > now() - interval '1 minute' AS is_fresh FROM portico.persons WHERE email = $1`,
      who.email,
    )
    expect(row).toEqual({ is_fresh: true })
  })

  test('on a new device is reported by email, except for the very first', async () => {
    const who = await someone()
    await anotherSession(who.email, windowsChrome)
    const message = await waitForMessage(portal, who.email)
    expect(message.subject).toBe('New sign-in to Example')
    expect(message.text).toMatch(/\(\d{4}-\d\d-\d\d \d\d:\d\d UTC, 192\.0\.2\.5, Chrome on Windows\)/)
    await anotherSession(who.email, windowsChrome.replace('140', '141'), '192.0.2.77')
    await anotherSession(who.email, macSafari)
    await waitForMessage(portal, who.email, 2)
    expect((await messagesTo(portal, who.email)).at(-1)?.text).toContain('Safari on macOS')
  })

  test('by a program is reported without the name it sends, and another program is another device', async () => {
    const who = await someone()
    await anotherSession(who.email, 'https://evil.example/confirm-it-is-you x')
    expect((await waitForMessage(portal, who.email)).text).toContain(', 192.0.2.5, an unknown program)')
    await anotherSession(who.email, 'curl/8.5.0')
    await waitForMessage(portal, who.email, 2)
    for (const { text, html } of await messagesTo(portal, who.email)) {
      expect(`${text}${html}`).not.toMatch(/evil|confirm-it|curl/)
    }
  })
})

test.each([
  [windowsChrome, 'Chrome on Windows'],
  [macSafari, 'Safari on macOS'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [`${windowsChrome} Edg/140.0.0.0`, 'Edge on Windows'],
  [`${windowsChrome} OPR/120.0.0.0`, 'Opera on Windows'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
    'Chrome on iPad',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  ['curl/8.5.0', 'an unknown program'],
  ['https://evil.example/confirm-it-is-you x', 'an unknown program'],
  ['https://evil.example/confirm-it-is-you (X11; Linux x86_64)', 'an unknown program on Linux'],
  ['https://evil.example/confirm Chrome/140.0', 'Chrome'],
  ['', 'an unknown program'],
])('%s is %s', (userAgent, words) => expect(deviceInWords(userAgent)).toBe(words))
