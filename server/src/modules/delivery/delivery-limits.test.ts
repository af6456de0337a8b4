import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { addCron, crons, newCron } from '#test/resources/crons.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { attemptNow, exportWith } from '#test/resources/deliveries.ts'
import { exportDraft, exportsPath } from '#test/resources/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { startWebhookServer } from '#test/stand-ins/webhook-server.ts'

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal({ outboundAllow: ['127.0.0.1'] })
  member = await portal.member(await portal.account('Acme'))
})
afterAll(() => portal.close())

const email = { type: 'email', from: 'ada@example.com', subject: 'Hi', htmlBody: 'Hi' }
const call = { type: 'http', method: 'post', endpoint: 'http://127.0.0.1:9/' }
/** As many addresses as fit into a request. */
const addresses = (count: number): string =>
  Array.from({ length: count }, (_, at) => `${at.toString(36)}@b.co`).join(',')
const alike = (count: number): string[] => Array.from({ length: count }, (_, at) => `aaaa${at}`)

test.each<[string, object, string]>([
  ['with a list of 100,000 addresses', { ...email, to: addresses(100_000) }, 'to'],
  ['with thousands of secrets that have one start', { ...call, body: { token: alike(20_000) } }, 'body'],
  ['with a secret of a long name', { ...call, body: { [`token${'x'.repeat(50_000)}`]: alike(1500) } }, 'body'],
  ['with a secret of a megabyte of placeholders', { ...call, body: { token: '{{url}}'.repeat(140_000) } }, 'body'],
  [
    'with thousands of headers',
    { ...call, headers: Object.fromEntries(alike(20_000).map((name) => [name, 'x'])), body: { a: 1 } },
    'headers',
  ],
])(
  'a notification %s is refused at its field by every call without blocking other requests',
  { timeout: 120_000 },
  async (_name, notification, field) => {
    const cron = await addCron(member)
    const instruction = { name: 'Daily export', delimiter: 'csv', exportFields: ['_id'], notifications: [notification] }
    const changed = { ...newCron(), name: cron.name, version: cron.version, instruction }
    const start = performance.now()
    const replies = await Promise.all([
      member.post('/contact-service/v1/notifications/test', { notification }),
      member.post(exportsPath, exportDraft(['_id'], { notifications: [notification] } as object)),
      member.post(crons, newCron({ instruction })),
      member.put(`${crons}/${cron._id}`, changed),
      member.get('/identity/v1/profile'),
    ])
    // If the work grew with the square of the length, it would take minutes.
    expect(performance.now() - start).toBeLessThan(15_000)
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 400, 400, 200])
    const [tried, exported, added, put] = replies.map(({ body }) => JSON.stringify(body))
    expect(tried).toContain(`"notification.${field}`)
    expect(exported).toContain(`"notifications.0.${field}`)
    for (const text of [added, put]) expect(text).toContain(`"instruction.notifications.0.${field}`)
  },
)

test('a list of 100,000 notification emails of a cron is refused', { timeout: 60_000 }, async () => {
  const reply = await member.post(crons, newCron({ notificationEmails: addresses(100_000) }))
  expect(reply.status).toBe(400)
  expect(JSON.stringify(reply.body)).toContain('"notificationEmails"')
})

test('a larger call stored by an earlier release is still shown and made', { timeout: 60_000 }, async () => {
  await addContacts(portal.parts.database, member.account, { Name: 'string' }, [{ Name: 'Ada' }])
  const server = await startWebhookServer()
  onTestFinished(() => server.close())
  const made = await exportWith(portal, member, { type: 'http', method: 'post', endpoint: server.url, body: { a: 1 } })
  const body = { token: alike(6000), [`pin${'x'.repeat(300)}`]: ['{{url}}'] }
  await portal.parts.database.pool.query(
    `UPDATE account_${member.account}.deliveries SET settings = jsonb_set(settings::jsonb, '{body}', $1::jsonb)
    WHERE subject_id = $2`,
    [JSON.stringify(body), made._id],
  )
  const shown = await member.get(`${exportsPath}/${made._id}`)
  expect(shown.status).toBe(200)
  expect(JSON.stringify(shown.body)).not.toContain('aaaa')
  server.answers.push((response) => response.writeHead(400).end(`no ${'a'.repeat(60_000)}`))
  const failed = await attemptNow(portal, member, made._id)
  expect(failed.result).toBe('Not shown, since the call has too many secrets.')
  expect(JSON.parse(server.received[0]?.body ?? '')).toMatchObject({ token: body.token })
})
