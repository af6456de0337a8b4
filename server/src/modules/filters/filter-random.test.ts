import { randomUUID } from 'node:crypto'
import { Filter, Pipeline } from '@portico/contract/filter-stages'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordEvents } from '#contacts'
import { addContacts } from '#test/contacts.ts'
import { expectDescribed } from '#test/crowd.ts'
import { compareTexts, matches, type Stored } from '#test/naive-filter.ts'
import { runPipeline } from '#test/naive-pipeline.ts'
import { type Member, startPortal, type TestPortal } from '#test/portal.ts'
import {
  type Draw,
  drawContacts,
  drawMatch,
  drawPipeline,
  drawsOf,
  fieldTypes,
  timeZone,
} from '#test/random-filters.ts'

// FILTER_SEED=… repeats a run.
const seed = Number(process.env['FILTER_SEED'] ?? Date.now() % 1_000_000)
const contactCount = 5000
const filterCount = 1300
const pipelineCount = 700

let portal: TestPortal
let member: Member
let contacts: Stored[]

beforeAll(async () => {
  portal = await startPortal()
  const account = await portal.account()
  const { database } = portal.parts
  await database.pool.query('UPDATE portico.accounts SET time_zone = $1 WHERE id = $2', [timeZone, account])
  member = await portal.member(account)
  const drawn = drawContacts(
    drawsOf(seed),
    Array.from({ length: contactCount }, () => ''),
  )
  const rows = drawn.map(({ values }) => Object.fromEntries(values))
  const ids = await addContacts(database, account, fieldTypes, rows)
  contacts = drawn.map((contact, at) => ({ ...contact, id: ids[at] ?? '' }))
  await addPlaces(account)
  await addEvents(account)
}, 120_000)
afterAll(() => portal.close())

async function addPlaces(account: number): Promise<void> {
  const placed = contacts.filter(({ place }) => place)
  await portal.parts.database.pool.query(
    `INSERT INTO account_${account}.contact_keys (id, latitude, longitude)
     SELECT * FROM unnest($1::bigint[], $2::float8[], $3::float8[])`,
    [
      placed.map(({ id }) => id),
      placed.map(({ place }) => place?.latitude),
      placed.map(({ place }) => place?.longitude),
    ],
  )
}

async function addEvents(account: number): Promise<void> {
  const all = contacts.flatMap(({ id, events = [] }) =>
    events.map((event) => ({ id: randomUUID(), contactId: id, event })),
  )
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  const nothing = { appCode: null, path: null, element: null, ip: null, pdid: null }
  await recordEvents(
    portal.parts.database.db,
    account,
    all.map(({ id, contactId, event }) => ({
      ...nothing,
      id,
      contactId,
      code: String(event.get('event_code')),
      date: new Date(String(event.get('event_date'))),
      browser: text(event.get('browser')),
      // An empty text is no value either.
      os: text(event.get('os')) ?? '',
      isTrigger: event.get('is_trigger') === true,
    })),
  )
  const details = all.map(({ event }) =>
    JSON.stringify({ page: event.get('page') ?? '', price: event.get('price') ?? null }),
  )
  await portal.parts.database.pool.query(
    `UPDATE account_${account}.events AS e SET details = d.details FROM unnest($1::uuid[], $2::jsonb[]) AS d (id, details) WHERE e.id = d.id`,
    [all.map(({ id }) => id), details],
  )
}

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))

async function ask(query: string): Promise<unknown> {
  const answer = await member.get(`/contact-service/v1/offers?${query}`)
  // The query is on both sides so that a failure shows it.
  expect({ query, status: answer.status, body: answer.status === 200 ? '' : answer.body }).toEqual({
    query,
    status: 200,
    body: '',
  })
  return answer.body
}

function drawAll<T>(offset: number, count: number, make: (draw: Draw) => T): T[] {
  return Array.from({ length: count }, (_value, at) => make(drawsOf(seed * 10_000 + offset + at)))
}

test(`${filterCount} filters find what a plain reading finds (FILTER_SEED=${seed})`, { timeout: 240_000 }, async () => {
  let found = 0
  for (const match of drawAll(0, filterCount, drawMatch)) {
    const expected = contacts.filter((contact) => matches(contact, match, fieldTypes, timeZone)).map(({ id }) => id)
    const find = json([{ $match: match }])
    expectDescribed(Filter, [{ $match: match }])
    const page = (await ask(`find=${find}&sort=${json({ _id: 1 })}&limit=1000&select=_id`)) as { _id: string }[]
    const count = await ask(`find=${find}&count=`)
    expect({ match, count, ids: page.map(({ _id }) => _id) }).toEqual({
      match,
      count: { count: expected.length },
      ids: expected.slice(0, 1000),
    })
    if (expected.length > 0 && expected.length < contactCount) found++
  }
  // Filters that find nothing or everything prove little.
  expect(found).toBeGreaterThan(filterCount / 2)
})

test(
  `${pipelineCount} pipelines give what a plain reading gives (FILTER_SEED=${seed})`,
  { timeout: 240_000 },
  async () => {
    for (const stages of drawAll(5000, pipelineCount, drawPipeline)) {
      expectDescribed(Pipeline, stages)
      const expected = runPipeline(contacts, fieldTypes, timeZone, stages)
      const rows = (await ask(`aggregate=${json(stages)}&limit=1000`)) as Record<string, unknown>[]
      expect({ stages, rows: rows.map(rounded) }).toEqual({ stages, rows: expected.slice(0, 1000).map(rounded) })
      const counted = Object.hasOwn(stages.at(-1) ?? {}, '$count') ? expected[0]?.['many'] : expected.length
      expect({ stages, ...((await ask(`aggregate=${json(stages)}&count=`)) as object) }).toEqual({
        stages,
        count: counted,
      })
    }
  },
)

test('texts are sorted as the comparison of the test sorts them', async () => {
  const rows = (await ask(`aggregate=${json([{ $group: { _id: '$Name' } }])}`)) as { _id: string | null }[]
  const names = rows.flatMap(({ _id }) => _id ?? [])
  expect(names).toEqual([...names].sort(compareTexts))
  expect(rows.at(-1)).toEqual({ _id: null })
})

/** Sums in another order differ in the last digits; a little more keeps them on the same side of a half. */
function rounded(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'number' ? Number((value * (1 + 1e-12)).toPrecision(11)) : value,
    ]),
  )
}
