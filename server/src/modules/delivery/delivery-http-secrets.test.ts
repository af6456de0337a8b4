import type { NotificationInput } from '@portico/contract/notifications'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { attemptNow, deliveryDeps, exportWith } from '#test/resources/deliveries.ts'
import { exportDraft, exportsPath } from '#test/resources/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { startWebhookServer, type WebhookServer } from '#test/stand-ins/webhook-server.ts'

let portal: TestPortal
let member: Member
let server: WebhookServer

beforeAll(async () => {
  server = await startWebhookServer()
  portal = await startPortal({ outboundAllow: ['127.0.0.1'] })
  member = await portal.member(await portal.account('Acme'))
  await addContacts(portal.parts.database, member.account, { Name: 'string' }, [{ Name: 'Ada' }])
})
afterEach(() => {
  server.received.length = 0
  server.answers.length = 0
})
afterAll(async () => {
  await portal.close()
  await server.close()
})

const aPost = (more: object = {}): NotificationInput => ({
  type: 'http',
  method: 'post',
  endpoint: `${server.url}/hook`,
  headers: {},
  body: { file: '{{url}}' },
  ...more,
})
const run = (notification: NotificationInput) => exportWith(portal, member, notification)
const pool = () => portal.parts.database.pool

test('a call hides values of headers and query, and credentials in its body, under any name', async () => {
  const names = ['X-Auth', 'X-Pass', 'X-Session', 'X-Jwt', 'X-PIN', 'X-Access', 'X-Acme']
  const secret = (at: number | string) => `s3cret-${at}`
  const headers = { Accept: 'text/plain', ...Object.fromEntries(names.map((name, at) => [name, secret(at)])) }
  const query = `format=json&token=${secret('a')}&x=${secret('b')}&x=${secret('c')}&for={{name}}&%61=${secret('d')}`
  const body = { file: '{{url}}', note: 'for Ada', apiKey: secret('e'), deep: [{ password: secret('f') }] }
  const made = await run(aPost({ endpoint: `${server.url}/hook?${query}`, headers, body }))
  const shown = await member.get(`${exportsPath}/${made._id}`)
  const listed = await member.get(exportsPath)
  const { rows } = await pool().query(`SELECT * FROM account_${member.account}.deliveries`)
  const { rows: log } = await pool().query('SELECT * FROM portico.audit_log')
  expect(JSON.stringify([shown.body, listed.body, rows, log])).not.toContain('s3cret-')
  expect(shown.body).toMatchObject({
    notifications: [
      {
        endpoint: `${server.url}/hook?format=json&token={{secret}}&x={{secret}}&x={{secret}}&for={{name}}&%61={{secret}}`,
        headers: { Accept: 'text/plain', ...Object.fromEntries(names.map((name) => [name, null])) },
        body: { file: '{{url}}', note: 'for Ada', apiKey: '{{secret}}', deep: [{ password: '{{secret}}' }] },
      },
    ],
  })
  expect(await attemptNow(portal, member, made._id)).toMatchObject({ status: 'completed' })
  const [call] = server.received
  expect(call?.path).toBe(`/hook?${query.replace('{{name}}', encodeURIComponent(made.name))}`)
  expect(call?.headers).toMatchObject(Object.fromEntries(names.map((name, at) => [name.toLowerCase(), secret(at)])))
  expect(JSON.parse(call?.body ?? '')).toMatchObject({ apiKey: secret('e'), deep: [{ password: secret('f') }] })
})

test('a call hides parts of its path that look like a credential', async () => {
  const [token, other] = ['s3cret-Xb7Qw9Lk2Tz', 's3cret%2FAb1Cd2Ef3Gh4']
  const path = `/services/T024/${token}/v2/{{name}}/monthly-newsletter-list/${other}`
  const made = await run(aPost({ endpoint: `${server.url}${path}?format=json` }))
  const { rows } = await pool().query(`SELECT * FROM account_${member.account}.deliveries`)
  const shown = await member.get(`${exportsPath}/${made._id}`)
  expect(JSON.stringify([shown.body, rows])).not.toContain('s3cret')
  const shownPath = '/services/T024/{{secret}}/v2/{{name}}/monthly-newsletter-list/{{secret}}?format=json'
  expect(shown.body).toMatchObject({ notifications: [{ endpoint: server.url + shownPath }] })
  server.answers.push((response) => response.writeHead(400).end(`no hook ${token}`))
  const attempt = await attemptNow(portal, member, made._id)
  expect(JSON.stringify(attempt)).not.toContain('s3cret')
  expect(server.received[0]?.path).toBe(`${path.replace('{{name}}', encodeURIComponent(made.name))}?format=json`)
})

test('a call stored by an earlier release with secrets in clear text is shown without them and still made', async () => {
  const made = await run(aPost())
  const settings = aPost({ endpoint: `${server.url}/hook?token=s3cret-q`, headers: { 'X-Pin': 's3cret-h' } })
  await pool().query(
    `UPDATE account_${member.account}.deliveries SET settings = $1, sealed_secrets = NULL
    WHERE subject_id = $2`,
    [JSON.stringify({ signedUrlExpiryBySecond: 600, ...settings }), made._id],
  )
  const shown = await member.get(`${exportsPath}/${made._id}`)
  expect(JSON.stringify(shown.body)).not.toContain('s3cret-')
  expect(await attemptNow(portal, member, made._id)).toMatchObject({ status: 'completed' })
  expect(server.received[0]).toMatchObject({ path: '/hook?token=s3cret-q', headers: { 'x-pin': 's3cret-h' } })
})

test('a placeholder cannot change the host of a call', async () => {
  const port = new URL(server.url).port
  for (const endpoint of [
    `http://{{name}}:${port}/`,
    `http://127.0.0.1{{name}}/`,
    `http:127.0.0.1:${port}{{name}}`,
    `http:\\\\{{name}}:${port}\\hook`,
    `http://127.0.0.1:{{records}}/`,
  ]) {
    const reply = await member.post(exportsPath, exportDraft(['Name'], { notifications: [aPost({ endpoint })] }))
    expect([endpoint, reply.status]).toEqual([endpoint, 400])
    expect(JSON.stringify(reply.body)).toContain('notifications.0.endpoint')
  }
  // A call stored before this check existed fails when it is made.
  const made = await run(aPost())
  const settings = {
    signedUrlExpiryBySecond: 600,
    ...aPost({ endpoint: `http://127.0.0.1{{records}}/hook` }),
  }
  await pool().query(`UPDATE account_${member.account}.deliveries SET settings = $1 WHERE subject_id = $2`, [
    JSON.stringify(settings),
    made._id,
  ])
  const failed = await attemptNow(portal, member, made._id)
  expect(failed).toMatchObject({ status: 'rejected', result: 'A placeholder changes the host of the URL.' })
  expect(server.received).toEqual([])
})

const trial = '/contact-service/v1/notifications/test'
/** Everything about an export's calls that users and operators can read. */
async function readable(exportId: string) {
  const replies = [`${exportsPath}/${exportId}`, `${exportsPath}/${exportId}/deliveries`, exportsPath]
  const read = await Promise.all(replies.map((path) => member.get(path)))
  expect(read.map(({ status }) => status)).toEqual([200, 200, 200])
  const account = `account_${member.account}`
  const { rows: log } = await pool().query('SELECT * FROM portico.audit_log')
  const { rows } = await pool().query(
    `SELECT d.result, a.result AS attempt FROM ${account}.deliveries d
    LEFT JOIN ${account}.delivery_attempts a ON a.delivery_id = d.id WHERE d.subject_id = $1`,
    [exportId],
  )
  return JSON.stringify([read.map(({ body }) => body), log, rows])
}
/** Dependencies whose log can be read. */
function logged() {
  const lines: string[] = []
  return { lines, deps: { ...deliveryDeps(portal), log: pino({}, { write: (line: string) => void lines.push(line) }) } }
}
/** Stores settings in plain text, as an earlier release did. */
const storeInClear = (exportId: string, notification: NotificationInput) =>
  pool().query(
    `UPDATE account_${member.account}.deliveries SET settings = $1, sealed_secrets = NULL WHERE subject_id = $2`,
    [JSON.stringify({ signedUrlExpiryBySecond: 600, headers: {}, body: null, ...notification }), exportId],
  )

test('a body hides all under a credential name or paired with one, and a query hides parts without a value', async () => {
  const body = {
    file: '{{url}}',
    authorization: { scheme: 'Bearer', value: 's3cret-1' },
    auth: { value: 's3cret-2', deep: [['s3cret-3']] },
    credentials: { key: 's3cret-4' },
    passphrase: 's3cret-5',
    headers: [
      { name: 'Authorization', value: 's3cret-6' },
      { name: 'X-Note', value: 'for Ada' },
    ],
    list: [['X-Api-Key', 's3cret-7']],
    key: 's3cret-8',
    otp: 's3cret-9',
    sig: 's3cret-a',
    pin: 7_319_173,
    pairs: [{ key: 'Authorization', value: 's3cret-b' }],
    design: 'plain',
  }
  const query = 's3cret-c&s3cret-d=&=s3cret-e&format=json;token=s3cret-f&{{name}}'
  const made = await run(aPost({ endpoint: `${server.url}/hook?${query}`, body }))
  const { rows } = await pool().query(
    `SELECT settings, file FROM account_${member.account}.deliveries WHERE subject_id = $1`,
    [made._id],
  )
  const read = (await readable(made._id)) + JSON.stringify(rows)
  expect(read).not.toContain('s3cret-')
  expect(read).not.toContain('7319173')
  expect((await member.get(`${exportsPath}/${made._id}`)).body).toMatchObject({
    notifications: [
      {
        endpoint: `${server.url}/hook?{{secret}}&{{secret}}&={{secret}}&format={{secret}}&{{name}}`,
        body: { pin: '{{secret}}', design: 'plain', headers: [{ name: 'Authorization' }, { value: 'for Ada' }] },
      },
    ],
  })
  expect(await attemptNow(portal, member, made._id)).toMatchObject({ status: 'completed' })
  expect(JSON.parse(server.received[0]?.body ?? '')).toMatchObject({ ...body, file: expect.any(String) })
  expect(server.received[0]?.path).toBe(`/hook?${query.replace('{{name}}', encodeURIComponent(made.name))}`)
})

test('a stored value of a pair is not filled in under another name, which would reveal it', async () => {
  const made = await run(aPost({ body: { headers: [{ name: 'Authorization', value: 's3cret-1' }], key: 's3cret-2' } }))
  for (const body of [
    { headers: [{ name: 'X-Note', value: '{{secret}}' }] },
    { headers: [{ value: '{{secret}}' }] },
    { note: '{{secret}}' },
  ]) {
    const reply = await member.post(trial, { exportId: made._id, notification: aPost({ body }) })
    expect([body, reply.status]).toEqual([body, 400])
  }
  const kept = { headers: [{ name: 'Authorization', value: '{{secret}}' }], key: '{{secret}}', value: 'x' }
  const reply = await member.post(trial, { exportId: made._id, notification: aPost({ body: kept }) })
  expect(reply.body).toMatchObject({ isOk: true })
  expect(server.received.map((call) => call.body).join('')).toContain('s3cret-1')
})

test('a secret repeated by a receiver in any spelling is neither shown, stored nor logged', async () => {
  const odd = 's3cret "é" &/1'
  const body = { file: '{{url}}', token: 's3cret-b', pin: 7_319_173 }
  const headers = { Authorization: 'Bearer s3cret-h', 'X-Rows': 's3cret-{{records}}' }
  const endpoint = `${server.url}/hook?token=${encodeURIComponent(odd)}`
  const basic = Buffer.from('ada:s3cret-p').toString('base64')
  const notification = aPost({ endpoint, headers: { ...headers, 'X-Basic': `Basic ${basic}` }, body })
  const made = await run(notification)
  const told = [
    ['invalid key Bearer s3cret-h', 'no token s3cret-h', 'S3CRET-H', 'for s3cret-1 rows', 'password s3cret-p of ada'],
    [
      odd,
      encodeURIComponent(odd),
      encodeURIComponent(odd).toLowerCase(),
      encodeURIComponent(odd).replaceAll('%20', '+'),
    ],
    [JSON.stringify({ odd }), odd.replaceAll('&', '&amp;').replaceAll('"', '&quot;'), 's3cret-b', 'pin 7319173', basic],
  ].flat()
  const { lines, deps } = logged()
  for (const text of told) {
    server.answers.push((response) => response.writeHead(400, 'No s3cret-h').end(`${'.'.repeat(250)} ${text}`))
    const tried = await member.post(trial, { exportId: made._id, notification: await sentBack(made._id) })
    expect(tried.body).toMatchObject({
      isOk: false,
      message: expect.stringContaining('Responded with 400 No {{secret}}'),
    })
    expect([text, JSON.stringify(tried.body)]).toEqual([text, expect.not.stringMatching(/s3cret|7319173|%C3%A9/i)])
  }
  server.answers.push((response) => response.writeHead(500).end(told.join(' ')))
  const failed = await attemptNow(portal, member, made._id, deps)
  expect(failed.result).toContain('invalid key {{secret}}')
  expect(lines.join('')).toContain('delivery attempt failed')
  expect((await readable(made._id)) + lines.join('')).not.toMatch(/s3cret|7319173/i)
})

test('a secret repeated by a receiver in base64, base64url or hex, alone or inside other text, is not shown', async () => {
  const secret = 's3cret~~~???>>>'
  const made = await run(aPost({ headers: { 'X-Key': secret }, body: { file: '{{url}}', token: 's3cret-body' } }))
  const encodings = ['base64', 'base64url', 'hex'] as const
  const repeated = encodings.flatMap((encoding) => [
    Buffer.from(secret).toString(encoding),
    Buffer.from('s3cret-body').toString(encoding),
  ])
  for (const text of [...repeated, Buffer.from(secret).toString('hex').toUpperCase()]) {
    server.answers.push((response) => response.writeHead(400).end(`key ${text}.`))
    const tried = await member.post(trial, { exportId: made._id, notification: await sentBack(made._id) })
    expect(tried.body).toEqual({
      isOk: false,
      message: expect.stringMatching(/^Responded with 400 Bad Request: key (\{\{secret\}\})+=*\.$/) as string,
    })
  }
  for (const start of ['', 'a', 'ab', 'abc']) {
    for (const encoding of ['base64', 'base64url'] as const) {
      const text = Buffer.from(`${start}${secret}; and more`).toString(encoding)
      server.answers.push((response) => response.writeHead(400).end(text))
      const tried = await member.post(trial, { exportId: made._id, notification: await sentBack(made._id) })
      const { message } = tried.json<{ message: string }>()
      // Some bits of the characters at both ends remain.
      expect([start, message]).toEqual([start, expect.stringContaining('{{secret}}')])
      expect(Buffer.from(message.replace(/^.*: /, ''), encoding).toString('latin1')).not.toMatch(/s3c|>>>/)
    }
  }
})

/** The notification of an export as a client gets it, and sends it again. */
async function sentBack(exportId: string) {
  const shown = (await member.get(`${exportsPath}/${exportId}`)).json<{ notifications: NotificationInput[] }>()
  return shown.notifications[0]
}

test('an endpoint with hidden credentials is refused, and one from an earlier release reveals nothing', async () => {
  const made = await run(aPost({ method: 'get', body: null, endpoint: `${server.url}/in?token=s3cret-k` }))
  const host = server.url.slice('http://'.length)
  for (const start of ['http://\t/u:p@', 'http://\n/u:p@', 'http:\\\t\\u:p@', 'http://u:p@', 'http://\u0001/u:p@']) {
    const endpoint = `${start}${host}/in?token={{secret}}`
    const notification = { type: 'http', method: 'get', endpoint }
    const reply = await member.post(trial, { exportId: made._id, notification })
    expect([endpoint, reply.status]).toEqual([endpoint, 400])
    expect(JSON.stringify(reply.body)).toContain('notification.endpoint')
  }
  const { lines, deps } = logged()
  await storeInClear(
    made._id,
    aPost({ method: 'get', body: null, endpoint: `http://\t/u:p@${host}/in?token=s3cret-k` }),
  )
  const failed = await attemptNow(portal, member, made._id, deps)
  expect(failed).toMatchObject({ status: 'rejected', result: 'The URL contains a user or a password. Use a header.' })
  expect((await readable(made._id)) + lines.join('')).not.toMatch(/s3cret-|u:p/)
  expect(server.received).toEqual([])
})

test('a fragment is refused, and one from an earlier release is neither shown nor sent', async () => {
  const fragment = aPost({ endpoint: `${server.url}/hook#token=s3cret-f` })
  const reply = await member.post(exportsPath, exportDraft(['Name'], { notifications: [fragment] }))
  expect(reply.body).toMatchObject({
    error: {
      details: [{ field: 'notifications.0.endpoint', message: 'Leave out the part from # on: it is never sent.' }],
    },
  })
  const made = await run(aPost())
  await storeInClear(made._id, fragment)
  const shown = await member.get(`${exportsPath}/${made._id}`)
  expect(shown.body).toMatchObject({ notifications: [{ endpoint: `${server.url}/hook` }] })
  expect(JSON.stringify(shown.body)).not.toContain('s3cret-')
  expect(await attemptNow(portal, member, made._id)).toMatchObject({ status: 'completed' })
  expect(server.received[0]?.path).toBe('/hook')
})
