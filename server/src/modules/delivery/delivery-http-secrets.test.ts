import type { NotificationInput } from '@portico/contract/notifications'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { addContacts } from '#test/contacts.ts'
import { attemptNow, exportWith } from '#test/deliveries.ts'
import { exportDraft, exportsPath } from '#test/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/portal.ts'
import { startWebhookServer, type WebhookServer } from '#test/webhook-server.ts'

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

test('a call shows no value of a header, a query or a credential in its body, whatever their names', async () => {
  const names = ['X-Auth', 'X-Pass', 'X-Session', 'X-Jwt', 'X-PIN', 'X-Access', 'X-Acme']
  const secret = (at: number | string) => `s3cret-${at}`
  const headers = { Accept: 'text/plain', ...Object.fromEntries(names.map((name, at) => [name, secret(at)])) }
  const query = `format=json&token=${secret('a')}&x=${secret('b')}&x=${secret('c')}&for={{name}}&%61=${secret('d')}`
  const body = { file: '{{url}}', note: 'for Ada', apiKey: secret('e'), deep: [{ password: secret('f') }] }
  const made = await run(aPost({ endpoint: `${server.url}/hook?${query}#top`, headers, body }))
  const shown = await member.get(`${exportsPath}/${made._id}`)
  const listed = await member.get(exportsPath)
  const { rows } = await pool().query(`SELECT * FROM account_${member.account}.deliveries`)
  const { rows: log } = await pool().query('SELECT * FROM portico.audit_log')
  expect(JSON.stringify([shown.body, listed.body, rows, log])).not.toContain('s3cret-')
  expect(shown.body).toMatchObject({
    notifications: [
      {
        endpoint: `${server.url}/hook?format=json&token={{secret}}&x={{secret}}&x={{secret}}&for={{name}}&%61={{secret}}#top`,
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

test('a call that an earlier release stored with its secrets in clear is shown without them, and still made', async () => {
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

test('a call never goes to a host that a placeholder makes', async () => {
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
  // One that was stored before that was checked fails when it is made.
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
