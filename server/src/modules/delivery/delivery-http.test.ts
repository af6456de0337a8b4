import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { NotificationInput } from '@portico/contract/notifications'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { attemptNow, deliveryDeps, deliveryOf, exportWith } from '#test/resources/deliveries.ts'
import { createExport, exportDraft, exportsPath } from '#test/resources/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { startWebhookServer, type WebhookServer } from '#test/stand-ins/webhook-server.ts'

let portal: TestPortal
let member: Member
let server: WebhookServer

beforeAll(async () => {
  server = await startWebhookServer()
  portal = await startPortal({ outboundAllow: ['127.0.0.1'] })
  member = await portal.member(await portal.account('Acme'))
  await addContacts(portal.parts.database, member.account, { Name: 'string' }, [{ Name: 'Ada' }, { Name: 'Eve' }])
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
  endpoint: `${server.url}/hook?for={{name}}`,
  headers: { Authorization: 'Bearer s3cret', 'X-Rows': '{{records}}' },
  body: { file: '{{url}}', text: '{{name}} of {{account}}', list: ['{{records}}', '{{size}} bytes', 1, null] },
  ...more,
})
const run = (notification: NotificationInput) => exportWith(portal, member, notification)
const status =
  (code: number, body = '', headers: OutgoingHttpHeaders = {}) =>
  (response: ServerResponse) => {
    response.writeHead(code, headers)
    response.end(body)
  }
const pool = () => portal.parts.database.pool

describe('a call', () => {
  test('is made as configured: placeholders filled in, signed, and with a working link', async () => {
    const made = await run(aPost())
    const done = await attemptNow(portal, member, made._id)
    expect(done).toMatchObject({
      status: 'completed',
      result: 'Responded with 200 OK.',
      target: `POST ${server.url}/hook`,
    })
    const [call] = server.received
    expect(call).toMatchObject({ method: 'POST', path: `/hook?for=${encodeURIComponent(made.name)}` })
    expect(call?.headers).toMatchObject({
      authorization: 'Bearer s3cret',
      'x-rows': '2',
      'content-type': 'application/json',
      'webhook-id': done._id,
    })
    const body = JSON.parse(call?.body ?? '') as { file: string }
    expect(body).toMatchObject({
      text: `${made.name} of Acme`,
      list: [2, `${made.fileSize} bytes`, 1, null],
    })
    const { pathname, search } = new URL(body.file)
    expect(body.file.startsWith(portal.config.publicUrl)).toBe(true)
    expect((await portal.app.inject({ url: pathname + search })).body).toBe('Name\nAda\nEve\n')
    const expires = Number(new URL(body.file).searchParams.get('expires')) - Date.now() / 1000
    expect(expires).toBeGreaterThan(500)
    expect(expires).toBeLessThanOrEqual(600)

    const { secret } = (await member.get('/contact-service/v1/notifications/signing-secret')).json<{ secret: string }>()
    const headers = call?.headers ?? {}
    const signed = [headers['webhook-id'], headers['webhook-timestamp'], call?.body].join('.')
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    const signature = createHmac('sha256', key).update(signed).digest('base64')
    expect(call?.headers['webhook-signature']).toBe(`v1,${signature}`)
    const other = await portal.member(await portal.account())
    expect((await other.get('/contact-service/v1/notifications/signing-secret')).body).not.toEqual({ secret })
  })

  test('does not reveal its secrets', async () => {
    const made = await run(aPost())
    const shown = await member.get(`${exportsPath}/${made._id}`)
    expect(shown.body).toMatchObject({
      httpRequestStatus: 'waiting',
      httpRequestRecoveryCount: 0,
      emailStatus: null,
      sftpStatus: null,
      notifications: [{ headers: { Authorization: null, 'X-Rows': '{{records}}' } }],
    })
    const { rows } = await pool().query(`SELECT * FROM account_${member.account}.deliveries`)
    expect(JSON.stringify([shown.body, rows])).not.toContain('s3cret')
  })

  test('fills placeholders in secret headers, and is logged with its address as typed', async () => {
    const endpoint = `${server.url}/{{account}}/hook?key=s3cret`
    const made = await run(aPost({ endpoint, headers: { 'X-Token': 'Bearer {{records}}' } }))
    const done = await attemptNow(portal, member, made._id)
    expect(done).toMatchObject({ status: 'completed', target: `POST ${server.url}/{{account}}/hook` })
    expect(server.received[0]).toMatchObject({ path: '/Acme/hook?key=s3cret', headers: { 'x-token': 'Bearer 2' } })
  })

  test('by GET has no body', async () => {
    const made = await run(aPost({ method: 'get', body: null, endpoint: `${server.url}/done?at={{url}}` }))
    expect(await attemptNow(portal, member, made._id)).toMatchObject({ status: 'completed' })
    expect(server.received).toMatchObject([{ method: 'GET', body: '' }])
    expect(server.received[0]?.path).toContain(encodeURIComponent('/api/files/'))
  })
})

describe('a server', () => {
  test('that responds with 500 and then 200 is retried as the same delivery', async () => {
    server.answers.push(status(500, 'broken\n today'))
    const made = await run(aPost())
    const failed = await attemptNow(portal, member, made._id)
    expect(failed).toMatchObject({ status: 'recovery', recoveryCount: 0 })
    expect(failed.result).toBe('Responded with 500 Internal Server Error: broken today')
    const pause = Date.parse(failed.nextAttemptAt ?? '') - Date.now()
    expect(pause).toBeGreaterThan(20_000)
    expect(pause).toBeLessThan(37_000)
    const done = await attemptNow(portal, member, made._id)
    expect(done).toMatchObject({
      status: 'completed',
      recoveryCount: 1,
      nextAttemptAt: null,
      attempts: [{ isOk: false }, { isOk: true, result: 'Responded with 200 OK.' }],
    })
    expect(new Set(server.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  test('that never accepts it is called six times, then only when it is sent again', async () => {
    const made = await run(aPost())
    server.answers.push(...Array.from({ length: 6 }, () => status(503)))
    for (let attempt = 0; attempt < 8; attempt++) await attemptNow(portal, member, made._id)
    const given = await deliveryOf(member, made._id)
    expect(given).toMatchObject({ status: 'rejected', recoveryCount: 5, nextAttemptAt: null })
    expect(given.result).toBe('Failed after 5 retries. Responded with 503 Service Unavailable.')
    expect(given.attempts).toHaveLength(6)
    expect(server.received).toHaveLength(6)
    const again = await member.post(`${exportsPath}/${made._id}/deliveries/${given._id}/resend`)
    expect(again).toMatchObject({ status: 200, body: { status: 'waiting', recoveryCount: 0 } })
    expect((await member.post(`${exportsPath}/${made._id}/deliveries/${given._id}/resend`)).status).toBe(409)
    const done = await attemptNow(portal, member, made._id)
    expect(done).toMatchObject({ status: 'completed', recoveryCount: 0 })
    expect(done.attempts.at(-1)).toMatchObject({ isOk: true, trigger: 'resend' })
    expect(done.attempts).toHaveLength(7)
  })

  test('that does not respond in time is retried', async () => {
    server.answers.push(() => {})
    const made = await run(aPost())
    const deps = deliveryDeps(portal, ['127.0.0.1'], { responseMs: 300 })
    expect(await attemptNow(portal, member, made._id, deps)).toMatchObject({
      status: 'recovery',
      result: 'The server did not respond in time.',
    })
  })

  test('that responds with 404 is not retried', async () => {
    server.answers.push(status(404))
    const made = await run(aPost())
    expect(await attemptNow(portal, member, made._id)).toMatchObject({ status: 'rejected', recoveryCount: 0 })
  })

  test('that redirects to a private address is not followed', async () => {
    const inside = await startWebhookServer()
    server.answers.push(status(307, '', { location: `${inside.url}/admin` }))
    const made = await run(aPost())
    const done = await attemptNow(portal, member, made._id)
    expect(done).toMatchObject({ status: 'rejected' })
    expect(done.result).toContain('redirects are not followed')
    expect(inside.received).toEqual([])
    await inside.close()
  })

  test('named like the local machine gets the same result as a name that does not exist', async () => {
    for (const host of ['localhost', 'unknown.invalid']) {
      const made = await run(aPost({ endpoint: `http://${host}:${new URL(server.url).port}/hook` }))
      const done = await attemptNow(portal, member, made._id, deliveryDeps(portal, []))
      expect(done).toMatchObject({ status: 'recovery' })
      expect(done.result).toContain(`There is no host "${host}" on the internet. Check its name.`)
    }
    expect(server.received).toEqual([])
  })

  test.each(['http://127.0.0.1', 'http://[::1]', 'http://2130706433', 'http://0x7f.1'])(
    'on the local machine, as %s, is not reached unless the operator allows it',
    async (origin) => {
      const made = await run(aPost({ endpoint: `${origin}:${new URL(server.url).port}/hook` }))
      const done = await attemptNow(portal, member, made._id, deliveryDeps(portal, []))
      expect(done.status).toBe('rejected')
      expect(done.result).toContain('is on a private network')
      expect(server.received).toEqual([])
    },
  )
})

describe('a worker', () => {
  test('that is killed during an attempt leaves it in the log, and another worker continues', async () => {
    const made = await run(aPost())
    const { _id } = await deliveryOf(member, made._id)
    server.answers.push(() => {})
    const { dataDir, secretKey } = portal.config
    const worker = spawn(
      process.execPath,
      [join(import.meta.dirname, '../../../test/processes/delivery-process.ts'), String(member.account), _id],
      {
        env: {
          ...process.env,
          DATABASE_URL: portal.parts.database.url,
          DATA_DIR: dataDir,
          SECRET_KEY: secretKey[0],
          OUTBOUND_ALLOW: '127.0.0.1',
        },
        stdio: 'ignore',
      },
    )
    await expect.poll(() => server.received.length, { timeout: 30_000 }).toBe(1)
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.kill('SIGKILL')
    await ended
    expect(await deliveryOf(member, made._id)).toMatchObject({ status: 'processing', attempts: [] })
    expect(await attemptNow(portal, member, made._id)).toMatchObject({
      status: 'completed',
      recoveryCount: 1,
      attempts: [{ isOk: false, result: 'The worker stopped during this attempt.' }, { isOk: true }],
    })
    const [first, second] = server.received
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  })

  test('that is stopped gracefully puts the delivery back in the queue', async () => {
    server.answers.push(() => {})
    const made = await run(aPost())
    const stop = new AbortController()
    const running = attemptNow(portal, member, made._id, deliveryDeps(portal), stop.signal)
    await expect.poll(() => server.received.length).toBe(1)
    stop.abort()
    await expect(running).rejects.toThrow('The worker is stopping')
    expect(await deliveryOf(member, made._id)).toMatchObject({ status: 'waiting', recoveryCount: 0 })
    expect(await attemptNow(portal, member, made._id)).toMatchObject({ status: 'completed', recoveryCount: 0 })
  })

  test('delivers once, when the export is completed', async () => {
    const own = await portal.account()
    const by = await portal.member(own)
    await addContacts(portal.parts.database, own, { Name: 'string' }, [{ Name: 'a' }])
    await portal.startWorker()
    const { _id } = await createExport(by, exportDraft(['Name'], { notifications: [aPost()] }))
    await expect.poll(async () => (await deliveryOf(by, _id)).status, { timeout: 30_000 }).toBe('completed')
    expect(server.received.filter(({ body }) => body.includes(`/api/files/${own}/`))).toHaveLength(1)
  })
})

describe('permissions to see and send again', () => {
  test('each call requires its action and the account of the export', async () => {
    const made = await run(aPost())
    const { _id } = await deliveryOf(member, made._id)
    const path = `${exportsPath}/${made._id}/deliveries`
    const stranger = await portal.member(await portal.account())
    expect((await stranger.get(path)).status).toBe(404)
    expect((await stranger.post(`${path}/${_id}/resend`)).status).toBe(404)
    const reader = await portal.member(member.account, 'contact-service::exports::get')
    expect((await reader.get(path)).status).toBe(200)
    expect((await reader.post(`${path}/${_id}/resend`)).status).toBe(403)
    expect((await reader.get('/contact-service/v1/notifications/signing-secret')).status).toBe(403)
    expect((await reader.post('/contact-service/v1/notifications/test', { notification: aPost() })).status).toBe(403)
    expect((await member.post(`${path}/x/resend`)).status).toBe(404)
  })

  test('an export that ends without a file delivers nothing', async () => {
    const { _id } = await createExport(member, exportDraft(['Name'], { notifications: [aPost()] }))
    await member.put(`${exportsPath}/${_id}`, { cancel: true })
    const delivery = await deliveryOf(member, _id)
    expect(delivery).toMatchObject({ status: 'rejected', result: 'There was no file to deliver.' })
    expect((await member.post(`${exportsPath}/${_id}/deliveries/${delivery._id}/resend`)).status).toBe(409)
  })

  test.each([
    ['an endpoint that is none', { endpoint: 'ftp://x' }, 'endpoint', 'Value is invalid!'],
    ['a password in the endpoint', { endpoint: 'https://a:b@example.com' }, 'endpoint', 'Value is invalid!'],
    ['no body to post', { body: {} }, 'body', 'Value is required!'],
    ['a body to get', { method: 'get' }, 'body', 'Value is not required!'],
    ['a secret left out', { headers: { Authorization: null } }, 'headers.Authorization', 'Value is required!'],
    ['a header with a line break', { headers: { A: 'b\nc' } }, 'headers.A', 'Value is invalid!'],
  ])('%s is refused', async (_what, more, field, message) => {
    const answer = await member.post(exportsPath, exportDraft(['Name'], { notifications: [aPost(more)] }))
    expect([answer.status, answer.body]).toMatchObject([
      400,
      { error: { details: [{ field: `notifications.0.${field}`, message }] } },
    ])
  })
})
