import { afterAll, beforeAll, expect, test } from 'vitest'
import { addCron, makeDue, runsOf } from '#test/resources/crons.ts'
import { idleConsumer } from '#test/stand-ins/idle-consumer.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { runSchedulerOnce } from '#test/resources/scheduling.ts'
import { deleteOldRuns } from './due.queries.ts'

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const hour = 3_600_000

test('runs due more than 400 days ago are deleted', async () => {
  const cron = await addCron(owner)
  const { pool } = portal.parts.database
  await pool.query(
    `INSERT INTO portico.schedules (account_id, cron_id, consumer, due_at, status, ended_at)
     SELECT $1, $2, 'EXPORT', now() - days * interval '1 day', 'completed', now() FROM unnest(ARRAY[399, 401, 500]) days`,
    [owner.account, cron._id],
  )
  await deleteOldRuns(portal.parts.database.db, 400, 10)
  expect(await runsOf(owner, cron._id)).toHaveLength(2)
})

test('recent activity lists runs that did not start, combining missed ones of a cron', async () => {
  const other = await portal.member(await portal.account())
  const cron = await addCron(other, { cron: '0 * * * *', cronStart: new Date().toISOString(), name: 'Hourly' })
  await makeDue(portal, cron._id, new Date(Math.floor(Date.now() / hour) * hour - 5 * hour))
  await runSchedulerOnce(portal.parts, idleConsumer({ refusal: () => Promise.resolve({ reason: 'Not allowed.' }) }))
  const path = '/contact-service/v1/activity'
  const scheduled = { kind: 'scheduled export', status: 'rejected', creator: other.email, records: null }
  const reply = await other.get(path)
  expect(reply.json<unknown[]>()).toHaveLength(2)
  expect(reply.body).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ ...scheduled, name: 'Hourly', reason: '5 runs: missed: the portal was not running' }),
      expect.objectContaining({ ...scheduled, name: 'Hourly', reason: 'Not allowed.' }),
    ]),
  )
  const reader = await portal.member(other.account, 'contact-service::exports::get')
  expect((await reader.get(path)).body).toEqual([])
})
