import type { ChartDisplay } from '@portico/contract/dashboards/cell-chart'
import type { Grouping } from '@portico/domain/pipeline/grouping'
import { describe, expect, test } from 'vitest'
import { byMonth, looks, monthRows } from '#test/charts.ts'
import { drawDisplayed } from './displayed-chart.tsx'

const grouping: Grouping = {
  keys: [{ name: 'City', field: 'City', part: null, type: 'string' }],
  values: ['n', 'mean'],
  sums: ['n'],
}
const rows = [
  { City: 'Oslo', n: 4, mean: 2 },
  { City: null, n: 1, mean: 3 },
  { City: 'Rome', n: 10, mean: 1 },
  { City: '東京', n: -2, mean: 5 },
  { City: 'Bergen', n: 3, mean: 4 },
]

type Input = Partial<Parameters<typeof drawDisplayed>[0]>
const draw = (display: ChartDisplay, input: Input = {}) =>
  drawDisplayed({ kind: 'Column', options: {}, grouping, rows, ...input }, display, 'UTC')
const drawn = (display: ChartDisplay, input?: Input) =>
  JSON.parse(JSON.stringify(draw(display, input).options(looks, { width: 470, height: 270 }))) as {
    series: { data: unknown[]; markLine?: unknown; markArea?: unknown }[]
  }
const cities = (display: ChartDisplay, input?: Input) => draw(display, input).categories.map(({ name }) => name)

const settings: [string, ChartDisplay][] = [
  ['a goal', { goal: { value: 8, label: 'Target' } }],
  ['a range', { band: { from: 2, to: 5 } }],
  ['the largest groups', { top: { groups: 2, hasOther: false } }],
  ['the largest groups and the rest', { top: { groups: 2, hasOther: true } }],
  ['order by value', { order: 'value' }],
  ['order by label', { order: 'label' }],
]

describe.each(['Area', 'Bar', 'Column', 'Combo', 'Line'] as const)('a chart of the kind %s', (kind) => {
  test.each(settings)('is drawn differently with %s', (_what, display) => {
    expect(drawn(display, { kind })).not.toEqual(drawn({}, { kind }))
  })
})

test('a goal and a range are at their values, for which the axis makes room, with their labels', () => {
  const display = { goal: { value: 80, label: 'Target' }, band: { from: 20, to: 40 } }
  expect(drawn(display).series.slice(2)).toMatchObject([
    { data: [20] },
    { data: [40], markArea: { data: [[{ yAxis: 20 }, { yAxis: 40 }]], label: { formatter: 'Range: 20 – 40' } } },
    { data: [80], markLine: { data: [{ yAxis: 80 }], label: { formatter: 'Target: 80' } } },
  ])
  expect(drawn(display, { kind: 'Bar' }).series.at(-1)).toMatchObject({ markLine: { data: [{ xAxis: 80 }] } })
  expect(draw(display).needsMore).toBe(true)
  expect(draw(display).values).toEqual(draw({}).values)
})

test('the largest groups are those with the largest first value, and the rest is summed where it can be', () => {
  const { notes, categories } = draw({ top: { groups: 2, hasOther: true }, order: 'value' })
  expect(categories.map(({ name }) => name)).toEqual(['Rome', 'Oslo', 'Other'])
  // A click on the rest narrows to all of its groups.
  expect(categories.at(-1)?.keys).toEqual([['Bergen'], [null], ['東京']])
  expect(drawn({ top: { groups: 2, hasOther: true } }).series.map(({ data }) => data)).toEqual([
    [4, 10, 2],
    [2, 1, null],
  ])
  expect(notes).toEqual(["'Other' has no mean, which cannot be added up."])
  expect(draw({ top: { groups: 2, hasOther: false } }).notes).toEqual(['The largest 2 of 5 groups.'])
  const limited = draw({ top: { groups: 2, hasOther: true } }, { grouping: { ...grouping, values: ['n'], most: 5 } })
  expect(limited.notes).toEqual(["'Other' lacks the groups that the filter's limit of 5 leaves out."])
})

test('a group named as the rest, and fewer groups than the largest, are kept', () => {
  expect(cities({ top: { groups: 1, hasOther: true } }, { rows: [{ City: 'Other', n: 9 }, ...rows] })).toEqual([
    'Rome',
    'Other',
  ])
  expect(cities({ top: { groups: 1, hasOther: true } }, { rows: [...rows, { City: 'Other', n: 90 }] })).toEqual([
    'Other',
    'Other …',
  ])
  expect(cities({ top: { groups: 50, hasOther: true } })).toHaveLength(5)
  expect(draw({ top: { groups: 50, hasOther: true } }).notes).toEqual([])
})

test('groups are in the order of their labels, those without one last', () => {
  const order = cities({ order: 'label' }).filter((name) => name !== '')
  expect(order.slice(0, 4)).toEqual(['Bergen', 'Oslo', 'Rome', '東京'])
})

test.each<[string, ChartDisplay, Input, string]>([
  [
    'a course of time',
    { top: { groups: 1, hasOther: true } },
    { grouping: byMonth, rows: monthRows },
    'A course of time shows all of its groups, in their order.',
  ],
  ['a pie', { goal: { value: 3 } }, { kind: 'Pie' }, 'A pie has no axis for a goal or a range.'],
])('%s says what it cannot show', (_what, display, input, note) => {
  expect(drawn(display, input)).toEqual(drawn({}, input))
  expect(draw(display, input).notes).toContain(note)
})

const monthly: Grouping = {
  keys: [{ name: 'M', field: 'Joined', part: 'by month', type: 'day' }],
  values: ['n', 'mean'],
  sums: ['n'],
}
const byMonths = [
  { M: '2026-04-01', n: 3, mean: 6 },
  { M: '2026-01-01', n: 10, mean: 2 },
  { M: null, n: 50, mean: 9 },
  { M: '2026-02-01', n: 4, mean: 4 },
]
const cumulative = { kind: 'cumulative' } as const
const averageOf = (points: number) => ({ kind: 'average', points }) as const

describe.each(['Area', 'Bar', 'Column', 'Combo', 'Line'] as const)('a course of time of the kind %s', (kind) => {
  test('adds values up over empty months too, without those of no month', () => {
    const drawing = draw({ running: { n: cumulative } }, { kind, grouping: monthly, rows: byMonths })
    expect(drawing.legend.map(({ name }) => name)).toEqual(['n (cumulative)', 'mean'])
    const texts = drawing.values.filter(({ series }) => series === 0).map(({ text }) => text)
    expect(texts).toEqual(
      [10, 14, 14, 17].map((sum, at) => `${['Jan', 'Feb', 'Mar', 'Apr'][at]} 2026, n (cumulative): ${sum}`),
    )
    expect(drawing.notes).toEqual(["'(no value)' is no part of cumulative values and moving averages."])
  })
})

test('a moving average starts with the last of its points, and has gaps where a mean has one', () => {
  const texts = (display: ChartDisplay): string[] =>
    draw(display, { kind: 'Line', grouping: monthly, rows: byMonths }).values.map(({ text }) => text)
  expect(texts({ running: { n: averageOf(2), mean: averageOf(2) } })).toEqual([
    'Feb 2026, n (moving average of 2): 7',
    'Feb 2026, mean (moving average of 2): 3',
    'Mar 2026, n (moving average of 2): 2',
    'Apr 2026, n (moving average of 2): 1.5',
  ])
})

test('a series that was hidden by its name stays hidden when it is added up', () => {
  const input = { kind: 'Line', grouping: monthly, rows: byMonths, hidden: ['n'] } as const
  expect(draw({ running: { n: cumulative } }, input).values.every(({ series }) => series === 1)).toBe(true)
})

test.each<[string, ChartDisplay, Input, string]>([
  [
    'groups without an order',
    { running: { n: cumulative } },
    {},
    'No n (cumulative): Only groups by date have an order in which their values follow each other.',
  ],
  [
    'a pie',
    { running: { n: cumulative } },
    { kind: 'Pie', grouping: monthly, rows: byMonths },
    'No n (cumulative): The slices of a pie do not follow each other.',
  ],
  [
    'a mean',
    { running: { mean: cumulative } },
    { grouping: monthly, rows: byMonths },
    'No mean (cumulative): mean cannot be added up.',
  ],
  [
    'more groups than were read',
    { running: { n: averageOf(3) } },
    { grouping: monthly, rows: byMonths, isCut: true },
    'No n (moving average of 3): Not all groups were read: group by longer periods.',
  ],
])('%s says why values do not run, and shows them as they are', (_what, display, input, note) => {
  expect(drawn(display, input)).toEqual(drawn({}, input))
  expect(draw(display, input).notes).toContain(note)
})
