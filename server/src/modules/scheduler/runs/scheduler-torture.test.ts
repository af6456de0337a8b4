import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { crons } from '#test/resources/crons.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { rounds } from '#test/processes/rounds.ts'
import {
  addHourlyCrons,
  countRows,
  createStarted,
  pastDue,
  schedulerWorkers,
} from '#test/processes/scheduler-workers.ts'

// Workers are killed, lose the database or have a wrong clock while hundreds of crons are due.

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
  await createStarted(portal.parts.database)
})
afterAll(async () => {
  await workers.killAll()
  await portal.close()
})

// A multiple of five: see the downtimes below.
const kills = rounds(10, 30)
const cronsAtOnce = 200
const workers = schedulerWorkers(() => ({
  databaseUrl: portal.parts.database.url,
  dataDir: portal.config.dataDir,
}))
const count = (table: string): Promise<number> => countRows(portal.parts.database, table)

test('each due run starts exactly once, despite worker crashes', { timeout: 480_000 }, async () => {
  // This worker's clock is an hour off: only the database's clock counts.
  const other = await workers.start(3_600_000)
  for (let round = 1; round <= kills; round++) {
    const worker = await workers.start(round % 2 === 0 ? -3_600_000 : 0)
    const firstDue = pastDue(round % 5 === 0 ? 48 : 0)
    await addHourlyCrons(portal.parts.database, owner, { name: `Round ${round}`, count: cronsAtOnce, firstDue })
    await sleep(Math.random() * 400)
    await workers.kill(worker)
    if (round % 6 === 0) {
      await portal.parts.database.pool
        .query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'portico%'`,
        )
        .catch(() => {})
    }
  }
  const all = kills * cronsAtOnce
  await expect.poll(() => count('started').catch(() => 0), { timeout: 60_000, interval: 200 }).toBe(all)
  await workers.kill(other)
  expect(await count('(SELECT DISTINCT cron_id FROM started JOIN portico.schedules s ON s.id = run) s')).toBe(all)
  expect(await count(`portico.schedules WHERE status = 'processing'`)).toBe(all)
  // 48 hours of downtime in every fifth round: each of these due times is recorded as missed.
  const missed = (kills / 5) * cronsAtOnce * 48
  expect(await count(`portico.schedules WHERE omission = 'missed' AND comment <> ''`)).toBe(missed)
  expect(await count(`portico.schedules WHERE status = 'waiting' AND ready_at IS NULL AND due_at > now()`)).toBe(all)
  expect(await count('portico.schedules')).toBe(all * 2 + missed)
  expect(
    await count('(SELECT cron_id FROM portico.schedules GROUP BY cron_id, sequence HAVING count(*) > 1) twice'),
  ).toBe(0)
})

test('each due time that is run again starts exactly once, despite worker crashes', { timeout: 240_000 }, async () => {
  const { pool } = portal.parts.database
  await pool.query('DELETE FROM started')
  await pool.query('DELETE FROM portico.crons')
  const rounds = 4
  const cronsOfRound = 20
  for (let round = 1; round <= rounds; round++) {
    const name = `Again ${round}`
    const instruction = JSON.stringify({ name: 'Again and again', delimiter: 'csv', exportFields: ['_id'] })
    await addHourlyCrons(portal.parts.database, owner, { name, count: cronsOfRound, firstDue: pastDue(-1) })
    await pool.query(
      `UPDATE portico.crons SET instruction = $1::jsonb, created_at = now() - interval '1 day' WHERE name LIKE $2`,
      [instruction, `${name} %`],
    )
    const { rows } = await pool.query<{ id: string; due: Date }>(
      `SELECT id, ${pastDue(5)} AS due FROM portico.crons WHERE name LIKE $1`,
      [`${name} %`],
    )
    const worker = await workers.start()
    // Like a browser that lost the response and sends the request again.
    const replies = await Promise.all(
      rows.flatMap(({ id, due }) => {
        const ask = () => owner.post(`${crons}/${id}/backfills`, { from: due.toISOString() })
        return [ask(), ask()]
      }),
    )
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(cronsOfRound)
    await sleep(Math.random() * 300)
    await workers.kill(worker)
  }
  const last = await workers.start()
  await expect.poll(() => count('started'), { timeout: 60_000, interval: 200 }).toBe(rounds * cronsOfRound)
  await workers.kill(last)
  expect(await count('portico.schedules WHERE is_backfill')).toBe(rounds * cronsOfRound)
  expect(await count(`portico.schedules WHERE is_backfill AND status = 'processing'`)).toBe(rounds * cronsOfRound)
})
