import type { FieldEntry } from '@portico/contract/fields'
import type { ScheduleDetails } from '@portico/contract/scheduler/schedules'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { portalLock } from '#platform/waits/lock-keys.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, makeDue, runsOf, schedules } from '#test/resources/crons.ts'
import { lockWaits } from '#test/kit/lock-waits.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'
import { startWebhookServer, type WebhookServer } from '#test/stand-ins/webhook-server.ts'

let portal: TestPortal
let webhooks: WebhookServer
beforeAll(async () => {
  webhooks = await startWebhookServer()
  portal = await startPortal({ outboundAllow: ['127.0.0.1'] })
  await portal.startWorker()
})
afterAll(async () => {
  await portal.close()
  await webhooks.close()
})

const until = <T>(read: () => Promise<T>) => vi.waitUntil(read, { timeout: 60_000, interval: 50 })

test('a file that is delivered again while a field is renamed is judged by the new name', async () => {
  const { pool } = portal.parts.database
  const owner = await portal.member(await portal.account())
  await addContacts(portal.parts.database, owner.account, { Name: 'string', Salary: 'number' }, [{ Name: 'Ada' }])
  const notification = { type: 'http', method: 'post', endpoint: webhooks.url, headers: {}, body: { file: '{{url}}' } }
  const instruction = { name: 'Salaries', delimiter: 'csv', exportFields: ['Salary'], notifications: [notification] }
  const { _id: cron } = await addCron(owner, { instruction } as never)
  await makeDue(portal, cron, new Date())
  const [delivery, run] = await until(async () => {
    const [first] = await runsOf(owner, cron)
    if (!first) return undefined
    const { deliveries } = (await owner.get(`${schedules}/${first._id}`)).json<ScheduleDetails>()
    const found = deliveries?.find(({ status }) => status === 'completed')
    return found && ([found._id, first._id] as const)
  }).then((found) => found ?? [])
  const fields = (await owner.get('/contact-service/v1/fields/details')).json<FieldEntry[]>()
  const field = fields.find(({ name }) => name === 'Salary')?._id

  // The rename waits for the lock of rights, and has read the delivery by then.
  const other = await pool.connect()
  await other.query('BEGIN')
  await other.query('SELECT pg_advisory_xact_lock($1)', [portalLock('access')])
  const renamed = owner.put(`/contact-service/v1/fields/${field}`, { name: 'Compensation' })
  await until(async () => (await lockWaits(pool)).some((query) => query.includes('pg_advisory')))
  const resent = owner.post(`${schedules}/${run}/deliveries/${delivery}/resend`)
  // Meanwhile it reads all that it reads without waiting.
  for (let n = 0; n < 10; n++) await owner.get(`${schedules}/${run}`)
  await other.query('ROLLBACK')
  other.release()
  expect([(await renamed).status, (await resent).status]).toEqual([200, 200])

  const { rows } = await pool.query<{ actsAs: unknown }>(
    `SELECT file #> '{maker,actsAs}' AS "actsAs" FROM account_${owner.account}.deliveries`,
  )
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain('Salary')
  expect(rows).toMatchObject([{ actsAs: { request: { body: { exportFields: ['Compensation'] } } } }])
  // Another account.
  const stranger = await portal.member(await portal.account())
  const refused = { status: 404, body: { error: { code: 'not_found' } } }
  expect(await stranger.post(`${schedules}/${run}/deliveries/${delivery}/resend`)).toMatchObject(refused)
})
