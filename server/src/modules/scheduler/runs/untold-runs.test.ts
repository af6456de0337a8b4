import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Db, inTransaction } from '#platform/database.ts'
import { idleConsumer } from '#test/stand-ins/idle-consumer.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { addHourlyCrons, pastDue } from '#test/processes/scheduler-workers.ts'
import { sql } from 'kysely'
import { firstTurn } from './account-turns.ts'
import { emailAboutRuns } from './cron-email.service.ts'
import { LeftOut } from './left-out.ts'
import { selectUntoldCron, updateTold } from './untold-runs.queries.ts'

// Two accounts have 10,000 missed runs each, of two crons; a third account has one run.

const perCron = 5000

let portal: TestPortal
let members: [Member, Member, Member]

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())
beforeEach(async () => {
  await query('DELETE FROM portico.crons')
  const next = async () => portal.member(await portal.account())
  members = [await next(), await next(), await next()]
  for (const [at, of] of members.entries()) {
    await addHourlyCrons(portal.parts.database, of, { name: 'Late', count: at === 2 ? 1 : 2, firstDue: pastDue(0) })
    await query(
      `INSERT INTO portico.schedules (account_id, cron_id, consumer, due_at, status, ended_at, comment, omission, is_email_due)
       SELECT account_id, id, consumer, next_due_at - i * interval '5 minutes', 'terminated', now() - interval '1 hour',
         'missed', 'missed', true FROM portico.crons, generate_series(1, $2::integer) AS i WHERE account_id = $1`,
      of.account,
      at === 2 ? 1 : perCron,
    )
  }
  await query(`UPDATE portico.crons SET next_due_at = now() + interval '1 hour'`)
  await query('ANALYZE portico.schedules')
})

const query = (text: string, ...values: unknown[]) => portal.parts.database.pool.query(text, values)

/** Returns how many rows of runs the transaction has read so far. */
async function rowsRead(tx: Db): Promise<number> {
  const { rows } = await sql<{ read: string }>`
    SELECT seq_tup_read + idx_tup_fetch AS read FROM pg_stat_xact_user_tables WHERE relid = 'portico.schedules'::regclass`.execute(
    tx,
  )
  return Number(rows[0]?.read)
}

const [email, untold] = [
  () => emailAboutRuns({ ...portal.parts, consumers: idleConsumer() }, firstTurn(), new LeftOut(portal.parts.log, '')),
  async (of: Member) =>
    (await query('SELECT FROM portico.schedules WHERE is_email_due AND account_id = $1', of.account)).rowCount,
]

test('the next cron is found by a step for each account that is left out', async () => {
  const [first, second, third] = members
  await inTransaction(portal.parts.database.db, async (tx) => {
    const found = await selectUntoldCron(tx, { after: 0, except: [first.account, second.account] })
    expect(found).toMatchObject({ account_id: third.account, name: 'Late cron 1' })
    expect(await selectUntoldCron(tx, { after: first.account, except: [] })).toMatchObject({
      account_id: second.account,
    })
    expect(await selectUntoldCron(tx, { after: third.account, except: [] })).toBeUndefined()
    expect(await rowsRead(tx)).toBeLessThan(100)
  })
})

test('the runs that an email tells of are read by themselves, latest first', async () => {
  await inTransaction(portal.parts.database.db, async (tx) => {
    const cron = await selectUntoldCron(tx, { after: 0, except: [] })
    const told = await updateTold(tx, cron?.account_id ?? 0, cron?.id ?? '', { upTo: null, limit: 50, listed: 3 })
    expect(told).toMatchObject({ count: 50, latest: [{ comment: 'missed' }, {}, {}] })
    const dueTimes = (told?.latest ?? []).map(({ due_at: dueAt }) => dueAt.getTime())
    const minutes = 60_000
    expect(dueTimes.map((dueAt) => (dueAt - (told?.first.getTime() ?? 0)) / minutes)).toEqual([245, 240, 235])
    expect(await rowsRead(tx)).toBeLessThan(400)
  })
})

test('one email tells of all missed runs of a cron: how many, the latest, and when the first was due', async () => {
  const [first, second] = members
  expect(await email()).toBe(true)
  expect(await untold(first)).toBe(perCron)
  expect(await email()).toBe(true)
  expect(await untold(first)).toBe(0)
  expect(await untold(second)).toBe(2 * perCron)
  const { rows } = await query('SELECT * FROM portico.schedules WHERE account_id = $1', first.account)
  expect(rows.filter(({ omission }) => omission === 'missed')).toHaveLength(2 * perCron)
})
