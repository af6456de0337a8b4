import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { cronsPurpose, runScheduler } from '#scheduler'
import { createSecrets } from '#platform/secrets.ts'
import { idleConsumer } from '#test/stand-ins/idle-consumer.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { addHourlyCrons, pastDue } from '#test/processes/scheduler-workers.ts'
import type { Consumer } from '../consumers.ts'
import { firstTurn } from './account-turns.ts'
import { emailAboutRuns } from './cron-email.service.ts'
import { takeUpDueCrons } from './due-runs.service.ts'
import { LeftOut } from './left-out.ts'
import { settleRuns } from './settle.service.ts'

// One account has a thousand of each kind of work for the scheduler; another account has one, the latest of all.

const many = 1000

let portal: TestPortal
let crowd: Member
let other: Member

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())
beforeEach(async () => {
  await portal.parts.database.pool.query('DELETE FROM portico.crons')
  crowd = await portal.member(await portal.account())
  other = await portal.member(await portal.account())
})

/** Adds crons that became due an hour ago, or a moment ago for `other`. */
async function addDue(of: Member, count: number): Promise<void> {
  const firstDue = of === crowd ? pastDue(0) : `now() - interval '1 second'`
  await addHourlyCrons(portal.parts.database, of, { name: `Of ${of.account}`, count, firstDue })
}

/** Runs the scheduler's loop until `work` ends. */
async function whileRunning<T>(changes: Partial<Consumer>, work: () => Promise<T>): Promise<T> {
  const { parts } = portal
  const stop = new AbortController()
  const sealer = createSecrets(parts.config.secretKey, cronsPurpose)
  const loop = runScheduler({ ...parts, consumers: idleConsumer(changes), sealer }, stop.signal)
  try {
    return await work()
  } finally {
    stop.abort()
    await loop
  }
}

/** Counts what the loop starts, and records the positions of the other account's runs. */
function recorder(startMs = 0) {
  const places: number[] = []
  let started = 0
  let job = 0
  const start: Consumer['start'] = async (_tx, account) => {
    const place = ++started
    if (account === other.account) places.push(place)
    await sleep(startMs)
    return String(++job)
  }
  return { places, start, started: () => started }
}

const set = (columns: string, of: Member): Promise<unknown> =>
  portal.parts.database.pool.query(`UPDATE portico.schedules SET ${columns} WHERE account_id = $1`, [of.account])

const once = { timeout: 30_000, interval: 20 }

describe('alongside an account with a thousand', () => {
  test('due runs, the run of another account is among the first to start', async () => {
    await addDue(crowd, many)
    await addDue(other, 1)
    const { places, start } = recorder()
    await whileRunning({ start }, () => vi.waitFor(() => expect(places).toHaveLength(1), once))
    expect(places[0]).toBeLessThanOrEqual(6)
  })

  test('runs waiting to start, a run that becomes due starts within seconds', async () => {
    await addDue(crowd, many)
    const { places, start, started } = recorder(100)
    await whileRunning({ start }, async () => {
      await vi.waitFor(() => expect(started()).toBeGreaterThan(10), once)
      const [before, at] = [started(), performance.now()]
      await addDue(other, 1)
      await vi.waitFor(() => expect(places).toHaveLength(1), once)
      // Processing everything before it would take at least half a minute.
      expect(performance.now() - at).toBeLessThan(10_000)
      expect(started() - before).toBeLessThan(many / 2)
    })
  })

  test('due runs, a past due time of another account that is run again is among the first to start', async () => {
    await addDue(crowd, many)
    await addDue(other, 1)
    await portal.parts.database.pool.query(
      `UPDATE portico.crons SET next_due_at = now() + interval '1 hour' WHERE account_id = $1`,
      [other.account],
    )
    await set('is_backfill = true, is_run_now = true, ready_at = now()', other)
    const { places, start } = recorder()
    await whileRunning({ start }, () => vi.waitFor(() => expect(places).toHaveLength(1), once))
    expect(places[0]).toBeLessThanOrEqual(6)
  })

  test('failed runs, the email about the run of another account is among the first', async () => {
    for (const [of, count] of [[crowd, many] as const, [other, 1] as const]) {
      await addDue(of, count)
      await set(`status = 'terminated', ended_at = now(), comment = 'It failed.', is_email_due = true`, of)
    }
    await portal.parts.database.pool.query(`UPDATE portico.crons SET next_due_at = now() + interval '1 hour'`)
    const untold = async (of: Member): Promise<number> => {
      const { rows } = await portal.parts.database.pool.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM portico.schedules WHERE is_email_due AND account_id = $1`,
        [of.account],
      )
      return rows[0]?.n ?? 0
    }
    await whileRunning({}, () => vi.waitFor(async () => expect(await untold(other)).toBe(0), once))
    expect(await untold(crowd)).toBeGreaterThan(many / 2)
  })

  test('runs whose jobs are running, the ended job of another account is noticed', async () => {
    for (const [of, count] of [[crowd, many] as const, [other, 1] as const]) {
      await addDue(of, count)
      await set(
        `status = 'processing', started_at = now() - interval '5 minutes', job_id = id, ready_at = NULL, attempts = '[{}]'`,
        of,
      )
    }
    await portal.parts.database.pool.query(`UPDATE portico.crons SET next_due_at = now() + interval '1 hour'`)
    const states: Consumer['states'] = (_db, account, ids) => {
      const status = account === other.account ? ('completed' as const) : ('running' as const)
      const state = { name: '', reason: null, records: 1, recoveryCount: 0, fileUrl: null, deliveries: [] }
      return Promise.resolve(new Map(ids.map((id) => [id, { ...state, status }])))
    }
    await whileRunning({ states }, () =>
      vi.waitFor(async () => {
        const { rows } = await portal.parts.database.pool.query<{ status: string }>(
          'SELECT status FROM portico.schedules WHERE account_id = $1',
          [other.account],
        )
        expect(rows).toMatchObject([{ status: 'completed' }])
      }, once),
    )
  })
})

/** Takes up one batch. */
const takeUp = (): Promise<number> =>
  takeUpDueCrons(portal.parts.database, new LeftOut(portal.parts.log, 'not taken up'))

const countOf = async (of: Member, rows: string): Promise<number> => {
  const { rows: found } = await portal.parts.database.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM portico.schedules WHERE account_id = $1 AND (${rows})`,
    [of.account],
  )
  return found[0]?.n ?? 0
}

describe('after weeks without a worker', () => {
  const [late, hours] = [10, 24 * 35]
  /** Due times of the crowd that are past. */
  const past = late * (hours + 1)

  beforeEach(async () => {
    await addHourlyCrons(portal.parts.database, crowd, { name: 'Late', count: late, firstDue: pastDue(hours) })
    await addDue(other, 1)
  })

  test('a batch is small, and has the due run of another account', async () => {
    await takeUp()
    expect(await countOf(crowd, 'true')).toBeLessThanOrEqual(2600)
    expect(await countOf(other, 'ready_at IS NOT NULL')).toBe(1)
  })

  test('each due time has a row, and the latest of each cron starts', async () => {
    while ((await takeUp()) > 0);
    expect(await countOf(crowd, `omission = 'missed'`)).toBe(past - late)
    expect(await countOf(crowd, 'ready_at IS NOT NULL')).toBe(late)
    expect(await countOf(crowd, 'ready_at IS NULL AND due_at > now()')).toBe(late)
    expect(await countOf(crowd, 'true')).toBe(past + late)
    expect(await countOf(crowd, `sequence = ${hours + 1} AND ready_at IS NOT NULL`)).toBe(late)
  })

  test('no email tells of missed runs before the last of them is taken up', async () => {
    const deps = { ...portal.parts, consumers: idleConsumer() }
    const email = () => emailAboutRuns(deps, firstTurn(), new LeftOut(portal.parts.log, 'not emailed'))
    await takeUp()
    expect(await email()).toBe(false)
    while ((await takeUp()) > 0);
    expect(await email()).toBe(true)
  })
})

test('a cron that cannot be taken up is in the way of no other, of its own account or another', async () => {
  await addDue(crowd, 3)
  await portal.parts.database.pool.query(
    `UPDATE portico.crons SET expression = 'never' WHERE id = (SELECT id FROM portico.crons LIMIT 1)`,
  )
  await addDue(other, 1)
  const leftOut = new LeftOut<string>(portal.parts.log, 'not taken up')
  expect(await takeUpDueCrons(portal.parts.database, leftOut)).toBe(4)
  expect(await countOf(crowd, 'ready_at IS NOT NULL')).toBe(2)
  expect(await countOf(other, 'ready_at IS NOT NULL')).toBe(1)
  expect(leftOut.ids()).toHaveLength(1)
  expect(await takeUpDueCrons(portal.parts.database, leftOut)).toBe(0)
})

test('an account whose runs cannot be settled is in the way of no other', async () => {
  for (const of of [crowd, other]) {
    await addDue(of, 1)
    await set(
      `status = 'processing', started_at = now() - interval '5 minutes', job_id = id, ready_at = NULL, attempts = '[{}]'`,
      of,
    )
  }
  const states: Consumer['states'] = (_db, account) =>
    account === crowd.account ? Promise.reject(new Error('unreadable')) : Promise.resolve(new Map())
  const leftOut = new LeftOut<number>(portal.parts.log, 'not settled')
  await settleRuns(portal.parts.database, idleConsumer({ states }), leftOut)
  expect(await countOf(other, `status = 'terminated'`)).toBe(1)
  expect(await countOf(crowd, `status = 'processing'`)).toBe(1)
  expect(leftOut.ids()).toEqual([crowd.account])
})
