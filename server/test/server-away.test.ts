import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runExportJob } from '#exports'
import { createLog } from '#platform/log.ts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { buildApp } from '../src/app.ts'
import { addCron, makeDue, runsOf } from '#test/resources/crons.ts'
import { createExport, endedExport, exportDraft, exportsPath } from '#test/resources/exports.ts'
import { importFile } from '#test/resources/imports.ts'
import { loseServer } from '#test/stand-ins/lost-server.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { runSchedulerOnce } from '#test/resources/scheduling.ts'

// The server of one account, a worker of a cluster, is down, while the database and the other accounts are available.

let portal: TestPortal
let lost: Member
let other: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  lost = await portal.member(await portal.account())
  other = await portal.member(await portal.account())
  for (const member of [lost, other]) await importFile(portal, member, 'Email\na@example.com\nb@example.com\n')
})
afterAll(() => portal.close())

const query = (text: string, values: unknown[] = []) => portal.parts.database.pool.query(text, values)

/** Runs `work` while the server of an account is down. */
async function whileAway<T>(work: () => Promise<T>): Promise<T> {
  const { comeBack } = await loseServer(portal.parts.database.pool, lost.account)
  try {
    return await work()
  } finally {
    await comeBack()
  }
}

const refusal = {
  code: 'server_away',
  message: 'The server of this account cannot be reached. Its data is safe; try again in a few minutes.',
}

describe('calls to an account on an unreachable server', () => {
  test.each([
    ['a search', '/contact-service/v1/offers?limit=1'],
    ['a list', '/contact-service/v1/imports'],
    ['the fields', '/contact-service/v1/fields'],
  ])('return 503 with a retry time and no host: %s', async (_name, path) => {
    const reply = await whileAway(() => lost.get(path))
    expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '60' } })
    expect(reply.body).toEqual({ error: refusal })
  })

  test('return 503 for a write', async () => {
    const reply = await whileAway(() => lost.post(exportsPath, exportDraft(['Email'])))
    expect(reply).toMatchObject({ status: 503, body: { error: refusal } })
  })

  test('leave the portal ready and other accounts working', async () => {
    await whileAway(async () => {
      expect((await portal.app.inject('/readyz')).statusCode).toBe(200)
      expect(await other.get('/contact-service/v1/offers?limit=1')).toMatchObject({ status: 200 })
      const { _id } = await createExport(other, exportDraft(['Email']))
      expect(await endedExport(other, _id)).toMatchObject({ status: 'completed', recoveryCount: 0 })
    })
    expect(await lost.get('/contact-service/v1/offers?limit=1')).toMatchObject({ status: 200 })
  })
})

describe('jobs of an account on an unreachable server', () => {
  test('wait until the server is back without counting retries', async () => {
    const { database, jobs } = portal.parts
    const { _id } = await createExport(lost, exportDraft(['Email']))
    await endedExport(lost, _id)
    // As left by a worker on its last attempt when the server went down.
    const left = `status = 'processing', recovery_count = 5, file_key = NULL`
    await query(`UPDATE account_${lost.account}.exports SET ${left} WHERE id = $1`, [_id])
    await whileAway(async () => {
      await jobs.enqueue(database.db, runExportJob, { account: lost.account, exportId: _id })
      const tried = `SELECT FROM jobs.job WHERE name = 'run-export' AND state = 'retry' AND output IS NOT NULL`
      await vi.waitUntil(async () => (await query(tried)).rowCount === 1, { timeout: 30_000, interval: 50 })
    })
    expect(await endedExport(lost, _id)).toMatchObject({ status: 'completed', recoveryCount: 5 })
  })

  test('that are scheduled start when it is back, and do not hold up other accounts', async () => {
    const instruction = { name: 'Daily', delimiter: 'csv', exportFields: ['Email'] }
    const late = await addCron(lost, { instruction })
    const punctual = await addCron(other, { instruction })
    await whileAway(async () => {
      await makeDue(portal, late._id, new Date(Date.now() - 60_000))
      await makeDue(portal, punctual._id, new Date(Date.now() - 30_000))
      await runSchedulerOnce(portal.parts)
      await expect.poll(async () => (await runsOf(other, punctual._id))[0]?.status).toBe('completed')
    })
    const [run] = await runsOf(lost, late._id)
    expect(run).toMatchObject({
      status: 'waiting',
      comment: 'A server of the database cannot be reached. Retrying until it is back.',
    })
    await query('UPDATE portico.schedules SET ready_at = now() WHERE cron_id = $1 AND ready_at IS NOT NULL', [late._id])
    await runSchedulerOnce(portal.parts)
    await expect.poll(async () => (await runsOf(lost, late._id))[0]?.status).toBe('completed')
    const { rows } = await query('SELECT attempts, recovery_count FROM portico.schedules WHERE id = $1', [run?._id])
    expect(rows).toEqual([{ attempts: [expect.objectContaining({ status: 'completed' })], recovery_count: 0 }])
  })
})

test('runs and emails of other accounts are completed while a server is unreachable', async () => {
  const [late, punctual] = [await addCron(lost), await addCron(other)]
  const ended = `UPDATE portico.schedules SET status = 'terminated', comment = 'It failed.', is_email_due = true,
    ready_at = NULL, ended_at = now() WHERE cron_id = $1 AND status = 'waiting'`
  for (const { _id } of [late, punctual]) await query(ended, [_id])
  const isNotified = async (cron: string): Promise<boolean> =>
    (await query('SELECT FROM portico.schedules WHERE cron_id = $1 AND is_email_due', [cron])).rowCount === 0
  await whileAway(async () => {
    await runSchedulerOnce(portal.parts)
    expect([await isNotified(late._id), await isNotified(punctual._id)]).toEqual([false, true])
  })
  await runSchedulerOnce(portal.parts)
  expect(await isNotified(late._id)).toBe(true)
})

test('old files of other accounts are removed while a server is unreachable', async () => {
  const { _id } = await createExport(other, exportDraft(['Email']))
  await endedExport(other, _id)
  const age = `UPDATE account_${other.account}.exports SET last_activity_at = now() - interval '40 days' WHERE id = $1`
  await query(age, [_id])
  expect(await whileAway(() => portal.removeExpiredFiles())).toBe(1)
})

test('the log contains the message of the coordinator with the host', async () => {
  const file = join(portal.config.dataDir, 'away.log')
  const app = await buildApp({ ...portal.parts, log: createLog({ file }) })
  const headers = { authorization: `Bearer ${lost.token}` }
  await whileAway(async () => void (await app.inject({ url: '/api/contact-service/v1/imports', headers })))
  await app.close()
  await expect.poll(() => readFile(file, 'utf8')).toMatch(/connection to the remote node \S+:\d+ failed/)
})
