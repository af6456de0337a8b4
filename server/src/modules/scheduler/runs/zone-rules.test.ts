import type { Cron } from '@portico/contract/scheduler/crons'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addCron, crons, runsOf } from '#test/resources/crons.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { LeftOut } from './left-out.ts'
import { followZoneRules } from './zone-rules.service.ts'

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const hour = 3_600_000

/** Moves all stored times of a cron by hours, as if computed with other time zone rules. */
async function computedWithOtherRules(id: string, hours: number): Promise<void> {
  const { pool } = portal.parts.database
  const shift = `${hours} hours`
  await pool.query(
    `UPDATE portico.crons SET zone_rules = '2000a', next_due_at = next_due_at + $2::interval,
       last_due_at = last_due_at + $2::interval WHERE id = $1`,
    [id, shift],
  )
  const order = hours > 0 ? 'DESC' : 'ASC'
  const { rows } = await pool.query(`SELECT id FROM portico.schedules WHERE cron_id = $1 ORDER BY due_at ${order}`, [
    id,
  ])
  for (const run of rows) {
    await pool.query('UPDATE portico.schedules SET due_at = due_at + $2::interval WHERE id = $1', [run.id, shift])
  }
}

const follow = (): Promise<number> =>
  followZoneRules(portal.parts.database, new LeftOut(portal.parts.log, 'not computed again'))

const nextOf = async (id: string): Promise<unknown> => (await owner.get(`${crons}/${id}`)).json<Cron>().nextRunAt

const upcomingOf = async (id: string, until: number): Promise<string[]> => {
  const query = `consumerCode=EXPORT&cronId=${id}&instances=${new Date(until).toISOString()}`
  return (await owner.get(`${crons}?${query}`)).json<{ date: string }[]>().map(({ date }) => date)
}

test.each([1, -1])('a due time and a skipped run keep their clock times, moved by %i hours', async (hours) => {
  const cron = await addCron(owner, { cron: '0 12,13 * * *', cronTZ: 'Europe/Zurich' })
  const [first = '', second = '', third = ''] = [
    await nextOf(cron._id),
    ...(await upcomingOf(cron._id, Date.now() + 72 * hour)),
  ].map(String)
  await owner.post(`${crons}/${cron._id}/skips`, { date: second })
  await computedWithOtherRules(cron._id, hours)
  await follow()
  expect(await nextOf(cron._id)).toBe(first)
  expect(await runsOf(owner, cron._id)).toMatchObject([
    { date: first, status: 'waiting', runSequence: 1 },
    { date: second, omission: 'skipped', runSequence: 2 },
  ])
  expect((await upcomingOf(cron._id, Date.now() + 72 * hour))[0]).toBe(third)
})

test.each([1, -1])('a number of repeats keeps its last run, moved by %i hours', async (hours) => {
  const cron = await addCron(owner, { cron: '0 9 * * *', cronTZ: 'Europe/Zurich', cronRepeat: 5 })
  const before = await upcomingOf(cron._id, Date.now() + 400 * hour)
  expect(before).toHaveLength(4)
  await computedWithOtherRules(cron._id, hours)
  await follow()
  expect(await upcomingOf(cron._id, Date.now() + 400 * hour)).toEqual(before)
})

test('a moment that already has a run does not get a second one', async () => {
  const cron = await addCron(owner, { cron: '0 8,9 * * *', cronTZ: 'Europe/Zurich' })
  const first = String(await nextOf(cron._id))
  const { pool } = portal.parts.database
  // The run at 8:00 was created by the earlier rules, by which it was due at 9:00 of the present clock.
  await pool.query(
    `UPDATE portico.schedules SET status = 'completed', ended_at = now(), due_at = due_at + interval '1 hour' WHERE cron_id = $1`,
    [cron._id],
  )
  await pool.query(
    `UPDATE portico.crons SET zone_rules = '2000a', next_sequence = 2, next_due_at = next_due_at + interval '2 hours',
       next_clock_time = next_clock_time + interval '1 hour' WHERE id = $1`,
    [cron._id],
  )
  await follow()
  expect(Date.parse(String(await nextOf(cron._id)))).toBeGreaterThan(Date.parse(first) + 2 * hour)
})

test('due times computed with later data are left unchanged', async () => {
  const cron = await addCron(owner, { cron: '0 9 * * *', cronTZ: 'Europe/Zurich' })
  const before = Date.parse(String(await nextOf(cron._id)))
  await computedWithOtherRules(cron._id, 1)
  await portal.parts.database.pool.query(`UPDATE portico.crons SET zone_rules = '9999a' WHERE id = $1`, [cron._id])
  await follow()
  expect(Date.parse(String(await nextOf(cron._id)))).toBe(before + hour)
})

describe('next to a cron of another account', () => {
  let other: Member
  let cron: Cron
  let before: unknown

  beforeAll(async () => {
    other = await portal.member(await portal.account())
  })
  beforeEach(async () => {
    cron = await addCron(owner, { cron: '0 9 * * *', cronTZ: 'Europe/Zurich' })
    before = await nextOf(cron._id)
    await computedWithOtherRules(cron._id, 1)
  })

  test('a run that is skipped as far ahead as possible follows, too', async () => {
    const far = await addCron(other, { cron: '0 6 * * *', cronTZ: 'UTC' })
    const skipped = new Date(Date.parse(String(far.nextRunAt)) + 10_000 * 24 * hour).toISOString()
    expect(await other.post(`${crons}/${far._id}/skips`, { date: skipped })).toMatchObject({ status: 201 })
    await computedWithOtherRules(far._id, 1)
    await follow()
    expect((await runsOf(other, far._id)).map(({ date }) => date)).toEqual([far.nextRunAt, skipped])
    expect(await nextOf(cron._id)).toBe(before)
  })

  test('one that cannot follow keeps its due times, and the other follows', async () => {
    const bad = await addCron(other, { cron: '0 9 * * *', cronTZ: 'Europe/Zurich' })
    const { pool } = portal.parts.database
    await computedWithOtherRules(bad._id, 1)
    await pool.query(
      `UPDATE portico.crons SET zone = 'Europe/Gone', next_due_at = next_due_at - interval '2 hours' WHERE id = $1`,
      [bad._id],
    )
    await follow()
    expect(await nextOf(cron._id)).toBe(before)
    const { rows } = await pool.query('SELECT zone_rules FROM portico.crons WHERE id = $1', [bad._id])
    expect(rows).toEqual([{ zone_rules: '2000a' }])
    await pool.query('DELETE FROM portico.crons WHERE id = $1', [bad._id])
  })
})
