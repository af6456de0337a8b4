import { momentOf, offsetAt } from '@portico/domain/scheduler/zone-offsets'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startOfDay } from '#contacts'
import { addContacts } from '#test/resources/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Days in zones where clocks are put back or forward at midnight (ADR 0131).

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

const halfHour = 1_800_000
const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value))

/** A member of an account in the zone, with a contact for each half hour from a given moment. */
async function halfHours(timeZone: string, from: string, count: number): Promise<Member> {
  const { database } = portal.parts
  const account = await portal.account()
  await database.pool.query('UPDATE portico.accounts SET time_zone = $1 WHERE id = $2', [timeZone, account])
  const moments = Array.from({ length: count }, (_, at) => ({
    Seen: new Date(Date.parse(from) + at * halfHour).toISOString(),
  }))
  await addContacts(database, account, { Seen: 'date' }, moments)
  return portal.member(account)
}

describe.each([
  // Clocks show midnight twice, an hour apart.
  ['America/Havana', '2024-11-01T12:00Z', ['2024-11-02', '2024-11-03', '2024-11-04']],
  ['Atlantic/Azores', '2024-10-25T12:00Z', ['2024-10-26', '2024-10-27', '2024-10-28']],
  // Clocks skip midnight.
  ['Asia/Beirut', '2024-03-29T12:00Z', ['2024-03-30', '2024-03-31', '2024-04-01']],
  // Clocks skip a day.
  ['Pacific/Apia', '2011-12-28T12:00Z', ['2011-12-29', '2011-12-30', '2011-12-31']],
])('a filter for a day in %s', (timeZone, from, days) => {
  test('finds exactly the moments whose date parts match', async () => {
    const member = await halfHours(timeZone, from, 200)
    const ask = async (query: string) =>
      (await member.get(`/contact-service/v1/offers?${query}`)).json<Record<string, unknown>[]>()
    const parts = { year: { $year: '$Seen' }, month: { $month: '$Seen' }, day: { $dayOfMonth: '$Seen' }, at: '$Seen' }
    const rows = await ask(`aggregate=${json([{ $project: parts }])}&limit=1000`)
    const two = (value: unknown) => String(value).padStart(2, '0')
    const dayOf = new Map(
      rows.map((row) => [row['at'], `${String(row['year'])}-${two(row['month'])}-${two(row['day'])}`] as const),
    )
    expect(dayOf.size).toBe(200)
    const meanings = {
      $eq: (one: string, other: string) => one === other,
      $gt: (one: string, other: string) => one > other,
      $gte: (one: string, other: string) => one >= other,
      $lt: (one: string, other: string) => one < other,
      $lte: (one: string, other: string) => one <= other,
    }
    for (const day of days) {
      for (const [operator, isMeant] of Object.entries(meanings)) {
        const found = await ask(`find=${json([{ $match: { Seen: { [operator]: day } } }])}&limit=1000`)
        const meant = [...dayOf].flatMap(([at, local]) => (isMeant(local, day) ? [at] : []))
        expect(new Set(found.map(({ Seen }) => Seen)), `${operator} ${day}`).toEqual(new Set(meant))
      }
    }
  })
})

type Start = { zone: string; day: string; start: number; offset: number; isFirst: boolean; isUsual: boolean }

test('days start in every time zone at the moment the scheduler computes', { timeout: 110_000 }, async () => {
  const offset = (at: ReturnType<typeof sql>) => sql`(${at} AT TIME ZONE 'UTC' AT TIME ZONE zone - ${at})`
  // No zone has kept an offset for less than a week.
  const { rows } = await sql<Start>`
    WITH zones AS MATERIALIZED (
      SELECT name AS zone FROM pg_timezone_names WHERE name = ANY (${Intl.supportedValuesOf('timeZone')})
    ), changes AS (
      SELECT zone, at FROM zones, generate_series(timestamp '1970-01-02', '2040-12-28', '4 days') AS at
      WHERE ${offset(sql`at`)} <> ${offset(sql`(at + interval '4 days')`)}
    ), days AS MATERIALIZED (
      SELECT DISTINCT zone, (at + n * interval '1 day')::date AS day FROM changes, generate_series(-1, 6) AS n
    ), starts AS MATERIALIZED (SELECT zone, day, ${startOfDay(sql`day`, sql`zone`)} AS start FROM days)
    SELECT zone, day::text AS day, (extract(epoch FROM start) * 1000)::float8 AS start,
      (extract(epoch FROM start AT TIME ZONE zone - start AT TIME ZONE 'UTC') * 1000)::float8 AS offset,
      start AT TIME ZONE zone >= day AND NOT EXISTS (
        SELECT FROM unnest('{1,900,1800,3600,5400,7200,14400,86400}'::int[]) AS seconds
        WHERE (start - make_interval(secs => seconds)) AT TIME ZONE zone >= day) AS "isFirst",
      start = day::timestamp AT TIME ZONE zone AND start AT TIME ZONE zone = day AS "isUsual"
    FROM starts`.execute(portal.parts.database.db)
  expect(rows.filter(({ isFirst }) => !isFirst)).toEqual([])
  const rare = rows.filter(({ isUsual }) => !isUsual)
  // Only where the database and Node.js have the same rules.
  const compared = rare.filter(({ zone, start, offset }) => offsetAt(zone, start) === offset)
  expect(compared.length).toBeGreaterThan(500)
  expect(compared.filter(({ zone, day, start }) => momentOf(zone, Date.parse(`${day}T00:00Z`)) !== start)).toEqual([])
})
