import { Filter, Pipeline } from '@portico/contract/filter-stages'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectDescribed } from '#test/kit/crowd.ts'
import { compareTexts, matches, type Stored } from '#test/oracles/naive-filter.ts'
import { rounded, runPipeline } from '#test/oracles/naive-pipeline.ts'
import type { Member, TestPortal } from '#test/kit/portal.ts'
import { type Draw, drawMatch, drawPipeline, drawsOf, fieldTypes, timeZone } from '#test/oracles/random-filters.ts'
import { rounds } from '#test/processes/rounds.ts'
import { startWithDrawn } from '#test/resources/stored-contacts.ts'

// FILTER_SEED=… repeats a run.
const seed = Number(process.env['FILTER_SEED'] ?? Date.now() % 1_000_000)
// More than a page holds.
const contactCount = rounds(2000, 5000)
const filterCount = rounds(650, 1300)
const pipelineCount = rounds(350, 700)

let portal: TestPortal
let member: Member
let contacts: Stored[]

beforeAll(async () => {
  ;({ portal, member, contacts } = await startWithDrawn(drawsOf(seed), contactCount))
}, 120_000)
afterAll(() => portal.close())

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

test(
  `${filterCount} filters find the same as a naive implementation (FILTER_SEED=${seed})`,
  { timeout: 240_000 },
  async () => {
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
    // A run in which most filters find nothing or everything would prove little.
    expect(found).toBeGreaterThan(filterCount / 3)
  },
)

test(
  `${pipelineCount} pipelines return the same as a naive implementation (FILTER_SEED=${seed})`,
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

test('texts are sorted as in the naive implementation', async () => {
  const rows = (await ask(`aggregate=${json([{ $group: { _id: '$Name' } }])}`)) as { _id: string | null }[]
  const names = rows.flatMap(({ _id }) => _id ?? [])
  expect(names).toEqual([...names].sort(compareTexts))
  expect(rows.at(-1)).toEqual({ _id: null })
})
