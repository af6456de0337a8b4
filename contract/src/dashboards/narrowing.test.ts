import { expect, test } from 'vitest'
import { filterLimits, type Stages } from '../filter.ts'
import { CellChart } from './cell-chart.ts'
import { contactsBehind } from '@portico/domain/pipeline/behind'
import { readGrouping } from '@portico/domain/pipeline/grouping'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { contactsOf, narrow, narrowToPeriodBefore, rangesShown } from './narrowing.ts'
import { Interaction } from './interaction.ts'

const fields = [
  { name: 'City', type: 'string' as const },
  { name: 'Joined', type: 'date' as const },
]
const byCity: Stages = [{ $group: { _id: { City: '$City' }, count: { $count: {} } } }]
const byCode: Stages = [
  { $unwind: '$events' },
  { $group: { _id: { Code: '$events.event_code' }, count: { $count: {} } } },
]
const cityAndCode: Stages = [
  { $unwind: '$events' },
  { $group: { _id: { City: '$City', Code: '$events.event_code' }, n: { $sum: 1 } } },
]

const charts: Record<string, Partial<CellChart> & { type: CellChart['type'] }> = {
  city: { type: 'Bar', filter: { standard: byCity } },
  code: { type: 'Pie', filter: { standard: byCode } },
  both: { type: 'Column', filter: { standard: cityAndCode } },
  months: {
    type: 'Line',
    filter: { standard: [{ $group: { _id: { Y: { $year: '$Joined' }, M: { $month: '$Joined' } }, n: { $sum: 1 } } }] },
  },
  days: {
    type: 'Column',
    filter: { standard: [{ $group: { _id: { D: { $dayOfWeek: '$Joined' } }, n: { $sum: 1 } } }] },
  },
  list: { type: 'Dropdown', filter: { standard: byCity } },
  whole: { type: 'KPI', filter: { standard: [] }, portico: { ignoresClicks: true } },
  table: { type: 'Table', filter: { standard: [] } },
}

const definition = (more: Record<string, unknown> = {}) => ({
  layout: Object.entries({ ...charts, ...more }).map(([id, chart]) => [
    { id, cols: 12, chart: CellChart.parse(chart) },
  ]),
  originalFiltersSaved: false as const,
  resetFilters: false as const,
})

function narrowed(target: string, stages: Stages, interaction: object, more: Record<string, unknown> = {}): Stages {
  return writePipeline(narrowedPipeline(target, parsePipeline(stages), interaction, more))
}

function narrowedPipeline(
  target: string,
  stages: Pipeline,
  interaction: object,
  more: Record<string, unknown> = {},
): Pipeline {
  const around = {
    definition: definition(more),
    interaction: Interaction.parse(interaction),
    fields,
    today: '2026-03-10',
  }
  return narrow(target, stages, around)
}

test('a click narrows other charts to its group, except its own, dropdowns and those that ignore clicks', () => {
  const clicks = { clicks: [{ cell: 'city', keys: [['Oslo']] }] }
  expect(narrowed('table', [], clicks)).toEqual([{ $match: { City: 'Oslo' } }])
  const unchanged = parsePipeline(byCity)
  expect(narrowedPipeline('city', unchanged, clicks)).toBe(unchanged)
  expect(narrowedPipeline('list', unchanged, clicks)).toBe(unchanged)
  expect(narrowed('whole', [], clicks)).toEqual([])
})

test('several values of one chart are alternatives, those of several charts must all match', () => {
  const clicks = {
    clicks: [
      { cell: 'city', keys: [['Oslo'], [null]] },
      { cell: 'days', keys: [[2], [3]] },
    ],
  }
  expect(narrowed('table', [], clicks)).toEqual([
    {
      $match: {
        $and: [
          { City: { $in: ['Oslo', null] } },
          { $or: [{ Joined: { $dayOfWeek: 2 } }, { Joined: { $dayOfWeek: 3 } }] },
        ],
      },
    },
  ])
})

test('a month of a year is a range of days', () => {
  expect(narrowed('table', [], { clicks: [{ cell: 'months', keys: [[2024, 2]] }] })).toEqual([
    { $match: { Joined: { $gte: '2024-02-01', $lte: '2024-02-29' } } },
  ])
})

test('an impossible year or month is passed to the filter unchanged', () => {
  const condition = (keys: unknown[]) => narrowed('table', [], { clicks: [{ cell: 'months', keys: [keys] }] })
  const parts = (year: number, month: number): Stages => [
    { $match: { $and: [{ Joined: { $year: year } }, { Joined: { $month: month } }] } },
  ]
  expect(condition([1e308, 1])).toEqual(parts(1e308, 1))
  expect(condition([12_026, 1])).toEqual(parts(12_026, 1))
  expect(condition([2026, 13])).toEqual(parts(2026, 13))
  expect(condition([2026.5, 1])).toEqual(parts(2026.5, 1))
})

test('conditions on events must match the same event, and are merged into a condition of the cell', () => {
  const interaction = {
    clicks: [{ cell: 'code', keys: [['click']] }],
    ranges: [{ cell: 'dates', from: '2026-01-01', to: '2026-01-31' }],
  }
  const dates = { dates: { type: 'DatePicker', datePickerType: 'month', defaultId: '6', maxRange: 31 } }
  const range = { event_date: { $gte: '2026-01-01', $lte: '2026-01-31' } }
  expect(narrowed('table', [], interaction, dates)).toEqual([
    { $match: { events: { $elemMatch: { $and: [{ event_code: 'click' }, range] } } } },
  ])
  const own = [{ $match: { City: 'Rome', events: { $elemMatch: { os: 'iOS', event_date: { $gte: '2020-01-01' } } } } }]
  expect(narrowed('table', own, interaction, dates)).toEqual([
    { $match: { events: { $elemMatch: { $and: [{ os: 'iOS' }, { event_code: 'click' }, range] } } } },
    { $match: { City: 'Rome' } },
  ])
})

test('a cell that unwinds is narrowed after its first $unwind', () => {
  expect(
    narrowed('code', byCode, {
      clicks: [
        {
          cell: 'both',
          keys: [
            ['Oslo', 'click'],
            ['Oslo', 'open'],
          ],
        },
      ],
    }),
  ).toEqual([
    byCode[0],
    { $match: { $and: [{ City: 'Oslo' }, { 'events.event_code': { $in: ['click', 'open'] } }] } },
    byCode[1],
  ])
  expect(
    narrowed('table', [], {
      clicks: [
        {
          cell: 'both',
          keys: [
            ['Oslo', 'click'],
            ['Rome', 'open'],
          ],
        },
      ],
    }),
  ).toEqual([
    {
      $match: {
        $or: [
          { $and: [{ City: 'Oslo' }, { events: { $elemMatch: { event_code: 'click' } } }] },
          { $and: [{ City: 'Rome' }, { events: { $elemMatch: { event_code: 'open' } } }] },
        ],
      },
    },
  ])
})

test('dropdowns include and exclude values', () => {
  const choices = { choices: [{ cell: 'list', include: ['Oslo', 'Rome'], exclude: ['Bern'] }] }
  expect(narrowed('table', [], choices)).toEqual([
    { $match: { $and: [{ City: { $in: ['Oslo', 'Rome'] } }, { $nor: [{ City: 'Bern' }] }] } },
  ])
  const unchanged = parsePipeline(byCity)
  expect(narrowedPipeline('list', unchanged, choices)).toBe(unchanged)
})

test('a date picker applies initially and replaces the range of a cell; the last one changed wins', () => {
  const picker = (defaultId: string) => ({
    type: 'DatePicker',
    datePickerType: 'month',
    defaultId,
    maxRange: 31,
    portico: { dateField: 'joined' },
  })
  const pickers = { one: picker('TM'), two: picker('LM') }
  const own = [{ $match: { $and: [{ Joined: { $gt: '2020-01-01' } }, { City: 'Oslo' }] } }]
  const lastMonth = { joined: { $gte: '2026-02-01', $lte: '2026-02-28' } }
  expect(narrowed('table', own, {}, pickers)).toEqual([{ $match: lastMonth }, { $match: { City: 'Oslo' } }])
  expect(narrowed('table', [], { ranges: [{ cell: 'one', preset: 'TM' }] }, pickers)).toEqual([
    { $match: { joined: { $gte: '2026-03-01', $lte: '2026-03-10' } } },
  ])
})

test('a date picker narrows nothing with all time, and otherwise the cells that its author has chosen', () => {
  const picker = { type: 'DatePicker', datePickerType: 'month', maxRange: 31, portico: { dateField: 'Joined' } }
  const portico = { ...picker.portico, allTime: true, narrows: ['table'] }
  const pickers = { month: { ...picker, defaultId: 'TM' }, some: { ...picker, defaultId: 'ALL', portico } }
  const own = [{ $match: { Joined: { $gt: '2020-01-01' } } }]
  const days = (from: string, to: string) => [{ $match: { Joined: { $gte: from, $lte: to } } }]
  const march = days('2026-03-01', '2026-03-10')
  // The first choice of all time says nothing about the other picker, but a later one does.
  expect(narrowed('table', own, {}, pickers)).toEqual(march)
  expect(narrowed('table', own, { ranges: [{ cell: 'some', preset: 'ALL' }] }, pickers)).toEqual(own)
  const february = { ranges: [{ cell: 'some', preset: 'LM' }] }
  expect(narrowed('table', own, february, pickers)).toEqual(days('2026-02-01', '2026-02-28'))
  expect(narrowed('city', byCity, february, pickers)).toEqual([...march, ...byCity])
  const around = { definition: definition({ some: pickers.some }), fields, today: '2026-03-10' }
  const interaction = Interaction.parse(february)
  expect(rangesShown('table', { ...around, interaction })).toMatchObject([{ days: { from: '2026-02-01' } }])
  expect(rangesShown('city', { ...around, interaction })).toEqual([])
  // The same holds for the window of a report.
  const window = {
    from: '2026-02-03',
    to: '2026-02-04',
    start: Date.UTC(2026, 1, 3),
    end: Date.UTC(2026, 1, 5),
    endsWhenDue: false,
  }
  const report = { ...around, interaction: Interaction.parse({}), window }
  expect(narrow('table', [], report)).toHaveLength(1)
  expect(narrow('city', [], report)).toEqual([])
})

test('a tile with its own range ignores that of the dashboard, and compares with the previous period', () => {
  const tile = {
    tile: { type: 'KPI', filter: { standard: [] }, options: { template: 'internal-date-range' }, defaultId: '6' },
    dates: { type: 'DatePicker', datePickerType: 'day', defaultId: 'T' },
  }
  const days = (from: string, to: string): Stages => [
    { $match: { events: { $elemMatch: { event_date: { $gte: from, $lte: to } } } } },
  ]
  expect(narrowed('tile', [], {}, tile)).toEqual(days('2026-03-04', '2026-03-10'))
  expect(narrowed('table', [], {}, tile)).toEqual(days('2026-03-10', '2026-03-10'))
  const around = { definition: definition(tile), interaction: Interaction.parse({}), fields, today: '2026-03-10' }
  expect(writePipeline(narrowToPeriodBefore('tile', [], around) ?? [])).toEqual(days('2026-02-25', '2026-03-03'))
  expect(narrowToPeriodBefore('city', parsePipeline(byCity), { ...around, definition: definition() })).toBeNull()
})

test('clicks on computed keys do not filter', () => {
  const computed = [
    { $addFields: { Twice: { $add: ['$n', 1] } } },
    { $group: { _id: { T: '$Twice' }, n: { $sum: 1 } } },
  ]
  const more = { computed: { type: 'Bar', filter: { standard: computed } } }
  expect(narrowed('table', [], { clicks: [{ cell: 'computed', keys: [[2]] }] }, more)).toEqual([])
})

const behind = (stages: Stages, group: Record<string, unknown>): Stages =>
  writePipeline(contactsBehind(parsePipeline(stages), group, fields) ?? [])

test('a row opens the contacts behind it', () => {
  const before = [{ $match: { City: { $ne: 'Rome' } } }]
  expect(behind([...before, ...byCity], { City: 'Oslo' })).toEqual([{ $match: { City: 'Oslo' } }, ...before])
  expect(behind(byCode, { Code: 'click' })).toEqual([
    { $match: { events: { $elemMatch: { $and: [{ event_code: 'click' }] } } } },
  ])
  // The filter language refuses `$elemMatch` without conditions.
  expect(writePipeline(contactsOf(parsePipeline(byCode)) ?? [])).toEqual([
    { $match: { events: { $elemMatch: { event_code: { $exists: true } } } } },
  ])
  expect(writePipeline(contactsOf(parsePipeline([...before, ...byCity])) ?? [])).toEqual(before)
})

test('an event condition left empty by a replaced range matches any event', () => {
  const dates = { dates: { type: 'DatePicker', datePickerType: 'day', defaultId: 'T' } }
  const own = [{ $match: { events: { $elemMatch: { event_date: { $gte: '2020-01-01' } } } } }]
  expect(narrowed('code', [...own, ...byCode], {}, dates)).toEqual([
    { $match: { events: { $elemMatch: { event_code: { $exists: true } } } } },
    byCode[0],
    { $match: { 'events.event_date': { $gte: '2026-03-10', $lte: '2026-03-10' } } },
    byCode[1],
  ])
})

test('combinations of clicked groups stop growing once a filter would refuse them', () => {
  const keys = (count: number) => Array.from({ length: count }, (_value, at) => [`city ${at}`, `code ${at}`])
  const clicks = {
    clicks: [
      { cell: 'both', keys: keys(2000) },
      { cell: 'again', keys: keys(2000) },
      { cell: 'more', keys: keys(2000) },
    ],
  }
  const chart = { type: 'Bar', filter: { standard: cityAndCode } }
  const [stage] = narrowed('table', [], clicks, { again: chart, more: chart })
  expect(stage).toMatchObject({ $match: { $or: { length: filterLimits.listValues + 1 } } })
})

test('each event condition of a cell is merged with every selection', () => {
  const own = ['a', 'b'].map((os) => ({ $match: { events: { $elemMatch: { os } } } }))
  const keys = [
    ['Oslo', 'click'],
    ['Rome', 'open'],
  ]
  const one = (os: string) => ({
    $or: [
      { $and: [{ City: 'Oslo' }, { events: { $elemMatch: { $and: [{ os }, { event_code: 'click' }] } } }] },
      { $and: [{ City: 'Rome' }, { events: { $elemMatch: { $and: [{ os }, { event_code: 'open' }] } } }] },
    ],
  })
  expect(narrowed('table', own, { clicks: [{ cell: 'both', keys }] })).toEqual([
    { $match: { $and: [one('a'), one('b')] } },
  ])
})

test('event fields are recognized in any letter case, and keys computed after the group are ignored', () => {
  const months = [{ $unwind: '$events' }, { $group: { _id: { M: { $month: '$events.Event_Date' } }, n: { $sum: 1 } } }]
  expect(readGrouping(parsePipeline(months), fields)?.keys).toMatchObject([{ part: 'month', type: 'date' }])
  expect(
    readGrouping(parsePipeline([...byCity, { $addFields: { City: { $concat: ['x', '$City'] } } }]), fields),
  ).toBeNull()
  expect(readGrouping(parsePipeline([...byCity, { $addFields: { Share: 1 } }]), fields)).not.toBeNull()
})
