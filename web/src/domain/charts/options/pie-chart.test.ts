import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import type { Grouping } from '@portico/domain/pipeline/grouping'
import { expect, test } from 'vitest'
import { looks as testLooks } from '#test/charts.ts'
import type { ChartInput } from './chart-input.ts'
import { keysOfPick } from './keys-of-pick.ts'
import { pieChart } from './pie-chart.ts'

const looks = { ...testLooks, colors: ['#000000', '#ffffff'] }
const city = { name: 'City', field: 'City', part: null, type: 'string' } as const
const grouping: Grouping = { keys: [city], values: ['n'], sums: ['n'] }
const rows = [
  { City: 'Oslo', n: 900 },
  { City: 'Rome', n: 98 },
  { City: 'Bern', n: 1 },
  { City: 'Cork', n: 1 },
  { City: 'Nice', n: -5 },
]

const drawingOf = (options: ChartOptions, more: Partial<ChartInput> = {}) =>
  pieChart({ kind: 'Pie', grouping, rows, ...more, options })
type Label = { formatter: (point: { dataIndex: number; percent: number }) => string }
type Pie = {
  legend: unknown
  series: [{ label: Label; data: { name: string; value: number; itemStyle: { color: string } }[] }]
}
const drawn = (options: ChartOptions, more?: Partial<ChartInput>): Pie =>
  drawingOf(options, more).options(looks, { width: 1, height: 1 }) as unknown as Pie

const table: [string, ChartOptions, object][] = [
  ['a pie', {}, { type: 'pie', radius: ['0%', '82%'], startAngle: 90, clockwise: true }],
  ['pieHole', { pieHole: 0.5 }, { radius: ['41%', '82%'] }],
  ['pieStartAngle', { pieStartAngle: 30 }, { startAngle: 60 }],
  ['pieSliceText none', { pieSliceText: 'none' }, { label: { show: false } }],
  ['pieSliceBorderColor', { pieSliceBorderColor: '#ff0000' }, { itemStyle: { borderColor: '#ff0000' } }],
  ['is3D is flat', { is3D: true }, { type: 'pie', radius: ['0%', '82%'] }],
  ['colours of texts', {}, { data: [{ label: { color: '#ffffff' } }, { label: { color: '#141b29' } }, {}] }],
  ['chartArea', { chartArea: { left: 5, width: '50%' } }, { left: 5, width: '50%' }],
]

test('the chart area has a background color only if one is set', () => {
  const chartArea = { left: 5, backgroundColor: 'teal' }
  expect(drawn({ chartArea })).toMatchObject({ grid: { left: 5, show: true, backgroundColor: 'teal', borderWidth: 0 } })
  expect(drawn({ chartArea: { left: 5 } })).not.toHaveProperty('grid')
})

test.each(table)('%s', (_, options, parts) => {
  expect(drawn(options).series[0]).toMatchObject(parts)
})

test.each([
  [undefined, '90%'],
  ['percentage', '90%'],
  ['value', '900'],
  ['label', 'Oslo'],
] as const)('pieSliceText %s', (pieSliceText, text) => {
  const { label } = drawn(pieSliceText ? { pieSliceText } : {}).series[0]
  expect(label.formatter({ dataIndex: 0, percent: 90 })).toBe(text)
})

const slices = (options: ChartOptions, more?: Partial<ChartInput>): [string, number][] =>
  drawn(options, more).series[0].data.map(({ name, value }) => [name, value])

test('small slices are combined into one, which selects all their groups', () => {
  expect(slices({})).toEqual([
    ['Oslo', 900],
    ['Rome', 98],
    ['Other', 2],
  ])
  expect(slices({ sliceVisibilityThreshold: 0.2, pieResidueSliceLabel: 'Rest' })).toEqual([
    ['Oslo', 900],
    ['Rest', 100],
  ])
  const drawing = drawingOf({})
  expect(keysOfPick(drawing, { kind: 'value', series: 0, index: 2 })).toEqual([['Bern'], ['Cork']])
  expect(keysOfPick(drawing, { kind: 'legend', name: 'Other' })).toEqual([['Bern'], ['Cork']])
  expect(drawing.values.map(({ text }) => text)).toEqual(['Oslo: 900, 90%', 'Rome: 98, 9.8%', 'Other: 2, 0.2%'])
  expect(drawn({ pieResidueSliceColor: '#abcdef' })).toMatchObject({
    series: [{ data: [{}, {}, { itemStyle: { color: '#abcdef' } }] }],
  })
})

test('the combined slice gets a unique name', () => {
  expect(slices({}, { rows: [...rows.slice(0, 4), { City: 'Other', n: 50 }] }).map(([name]) => name)).toEqual([
    'Oslo',
    'Rome',
    'Other',
    'Other …',
  ])
})

test('reverseCategories keeps the colors of the slices', () => {
  const colorsOf = (options: ChartOptions) =>
    Object.fromEntries(
      drawn({ colors: ['#ff0000', '#00ff00'], ...options }).series[0].data.map(({ name, itemStyle }) => [
        name,
        itemStyle.color,
      ]),
    )
  expect(colorsOf({ reverseCategories: true })).toEqual(colorsOf({}))
})

test('reverseCategories keeps the combined slice last', () => {
  expect(slices({ reverseCategories: true }).map(([name]) => name)).toEqual(['Rome', 'Oslo', 'Other'])
})

test('with two keys the groups of the first key are summed, where a sum makes sense', () => {
  const two: Grouping = { ...grouping, keys: [city, { ...city, name: 'Code', field: 'Code' }] }
  const more = [
    { City: 'Oslo', Code: 'a', n: 1 },
    { City: 'Oslo', Code: 'b', n: 2 },
  ]
  expect(slices({}, { grouping: two, rows: more })).toEqual([['Oslo', 3]])
  expect(drawingOf({}, { grouping: two, rows: more }).values[0]?.keys).toEqual([
    ['Oslo', 'a'],
    ['Oslo', 'b'],
  ])
  expect(slices({}, { grouping: { ...two, sums: [] }, rows: more })).toEqual([
    ['Oslo · a', 1],
    ['Oslo · b', 2],
  ])
})

test('selected slices are highlighted', () => {
  const { series } = drawn({}, { chosen: [['Cork']] }) as unknown as {
    series: [{ data: { itemStyle: { opacity: number } }[] }]
  }
  expect(series[0].data.map(({ itemStyle }) => itemStyle.opacity)).toEqual([0.25, 0.25, 1])
})

const many = (count: number, value: (at: number) => number) =>
  Array.from({ length: count }, (_, at) => ({ City: `City ${at}`, n: value(at) }))

test('with more than eight groups the eight largest have slices, and the rest is Other', () => {
  const { data } = drawn({}, { rows: many(12, (at) => 100 + at) }).series[0]
  expect(data.map(({ name, value }) => [name, value])).toEqual([
    ...Array.from({ length: 8 }, (_, at) => [`City ${at + 4}`, 104 + at]),
    ['Other', 100 + 101 + 102 + 103],
  ])
})

test('averages are never summed into Other, and a threshold overrides the limit of eight', () => {
  const rows = many(12, (at) => 100 + at)
  const averages = { ...grouping, sums: [] }
  expect(drawn({}, { rows, grouping: averages }).series[0].data).toHaveLength(12)
  expect(drawn({ sliceVisibilityThreshold: 0.001 }, { rows }).series[0].data).toHaveLength(12)
})

test.each([
  ['nothing where all have slices', many(3, () => 1), []],
  ['one group below zero', many(3, (at) => at * 2 - 1), ['1 of 3 groups is not drawn: zero or negative.']],
  ['groups of zero', many(3, (at) => (at === 0 ? 5 : 0)), ['2 of 3 groups are not drawn: zero or negative.']],
  ['no group above zero', many(3, () => -1), ['Nothing to draw: no value is above zero.']],
  ['no group', [], []],
])('the note about %s', (_what, ofNote, notes) => {
  expect(drawingOf({}, { rows: ofNote }).notes).toEqual(notes)
})
