import type { CellAnswer } from '@portico/contract/dashboards'
import { todayIn } from '@portico/domain/days'
import { filterLimits } from '@portico/contract/filter'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDashboard, dashboardsPath, definition } from '#test/resources/dashboards.ts'
import { expectedAnswer, hasOrder } from '#test/oracles/naive-cell.ts'
import { exceedsConditions } from '#test/oracles/naive-conditions.ts'
import type { DrawnCell, World } from '#test/oracles/naive-dashboard.ts'
import { matches, type Stored } from '#test/oracles/naive-filter.ts'
import { rounded } from '#test/oracles/naive-pipeline.ts'
import type { Member, TestPortal } from '#test/kit/portal.ts'
import {
  drawChoices,
  drawDashboard,
  drawPart,
  searchesWords,
  withRecentDates,
} from '#test/oracles/random-dashboards.ts'
import { type Draw, drawMatch, drawsOf, fieldTypes, timeZone } from '#test/oracles/random-filters.ts'
import { rounds } from '#test/processes/rounds.ts'
import { startWithDrawn } from '#test/resources/stored-contacts.ts'

// DASHBOARD_SEED=… repeats a run; the dates are the same on the same day only.
const seed = Number(process.env['DASHBOARD_SEED'] ?? Date.now() % 1_000_000)
const contactCount = 250
const dashboardCount = rounds(200, 500)
const atOnce = 4

let portal: TestPortal
let member: Member
let contacts: Stored[]
const saved: World['saved'] = new Map()

beforeAll(async () => {
  const draw = drawsOf(seed)
  const arranged = (drawn: Stored[]) => withRecentDates(draw, drawn, todayIn(timeZone))
  ;({ portal, member, contacts } = await startWithDrawn(draw, contactCount, arranged))
  for (const name of ['one', 'two', 'three']) {
    const filter = [{ $match: drawFinding(draw, name === 'one') }]
    const answer = await member.post('/contact-service/v1/rdls', { name, aggregateQuery: JSON.stringify(filter) })
    if (answer.status !== 201) throw new Error(`not saved: ${JSON.stringify(answer.body)}`)
    saved.set(answer.json<{ _id: string }>()._id, filter)
  }
})
afterAll(() => portal.close())

/** A condition that some contacts meet, with or without a search for words. */
function drawFinding(draw: Draw, hasText: boolean): Record<string, unknown> {
  for (;;) {
    const drawn = drawMatch(draw, draw.one([1, 2, 3]))
    const finds = contacts.some((contact) => matches(contact, drawn, fieldTypes, timeZone))
    if (finds && searchesWords(drawn) === hasText) return drawn
  }
}

const normal = (rows: readonly Record<string, unknown>[], isOrdered: boolean): unknown[] => {
  const all = rows.map(rounded)
  return isOrdered ? all : all.map((row) => JSON.stringify(row, Object.keys(row).toSorted())).toSorted()
}

/** Rows with no texts of times, and with numbers without their last digits. */
function comparable(
  { rows, total, totals, rowTotals, columnTotals, kpi }: Omit<CellAnswer, 'asOf' | 'fields'>,
  isOrdered: boolean,
) {
  return {
    rows: normal(rows, isOrdered),
    total,
    totals: totals && rounded(totals),
    rowTotals: rowTotals && normal(rowTotals, true),
    columnTotals: columnTotals && normal(columnTotals, true),
    kpi: kpi && rounded(kpi),
  }
}

type Tally = { cells: number; refused: number; narrowed: number; some: number }

const tooManyConditions = `A filter takes at most ${filterLimits.conditions} conditions.`

/** Compares the cells of one dashboard, with and without choices, with the oracle. */
async function compareDashboard(draw: Draw, number: number, tally: Tally): Promise<void> {
  const today = todayIn(timeZone)
  const cells = drawDashboard(draw, today, saved)
  const { _id, version } = await createDashboard(member, {
    name: `${number}`,
    definition: definition(...cells.map((cell) => [cell])),
  })
  const world: World = {
    contacts,
    types: fieldTypes,
    timeZone,
    today,
    saved,
    cells,
    choices: { clicks: [], choices: [], ranges: [] },
  }
  const choices = drawChoices(draw, world)
  const ask = async (cell: DrawnCell): Promise<void> => {
    const part = drawPart(draw, cell, hasOrder(cell, world), world)
    const answer = await member.post(`${dashboardsPath}/${_id}/cells/${cell.id}`, { version, ...choices, ...part })
    const about = { seed, number, today, cell, part, choices, others: cells.filter((each) => each !== cell) }
    // At midnight the days of presets move.
    if (todayIn(timeZone) !== today) return
    const isOrdered = hasOrder(cell, world)
    const answered = comparable(expectedAnswer(cell, { ...world, choices }, part), isOrdered)
    const found = answer.status === 200 ? comparable(answer.json<CellAnswer>(), isOrdered) : answer.body
    const isRefused = answer.status === 422 && exceedsConditions(cell, { ...world, choices }, part.search)
    const expected = isRefused ? { error: { code: 'cell_failed', message: tooManyConditions } } : answered
    // As text, which is shown when the answers differ.
    expect({ about: JSON.stringify(about), found }).toEqual({ about: JSON.stringify(about), found: expected })
    tally.cells++
    if (isRefused) {
      tally.refused++
      return
    }
    if (answered.total > 0 || answered.kpi?.['value']) tally.some++
    const whole = expectedAnswer(
      cell,
      { ...world, cells: [cell], choices: { clicks: [], choices: [], ranges: [] } },
      part,
    )
    if (JSON.stringify(comparable(whole, isOrdered)) !== JSON.stringify(answered)) tally.narrowed++
  }
  for (const cell of cells) await ask(cell)
  await member.delete(`${dashboardsPath}/${_id}`)
}

test(
  `${dashboardCount} dashboards answer like a naive implementation (DASHBOARD_SEED=${seed})`,
  { timeout: 300_000 },
  async () => {
    const tally: Tally = { cells: 0, refused: 0, narrowed: 0, some: 0 }
    const numbers = Array.from({ length: dashboardCount }, (_value, at) => at).values()
    const work = async (): Promise<void> => {
      for (const number of numbers) await compareDashboard(drawsOf(seed * 10_000 + number), number, tally)
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    // A run in which most cells are empty or not narrowed would prove little.
    expect(tally.some).toBeGreaterThan(tally.cells / 3)
    expect(tally.narrowed).toBeGreaterThan(tally.cells / 5)
    expect(tally.refused).toBeLessThan(tally.cells / 20)
  },
)
