import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import type { Grouping } from '@portico/domain/pipeline/grouping'
import { expect, test } from 'vitest'
import { byCity, byMonth, cityRows, looks, monthRows } from '#test/charts.ts'
import { palettes } from '#ui/chart/palettes.ts'
import { axisChart } from './axis-chart.ts'
import { keysOfPick } from './keys-of-pick.ts'
import type { AxisKind, ChartInput } from './chart-input.ts'

const drawingOf = (options: ChartOptions, kind: AxisKind = 'Column', more: Partial<ChartInput> = {}) =>
  axisChart({ grouping: byMonth, rows: monthRows, ...more, kind, options }, 'UTC')

// Options are checked by parts; their whole type is the engine's.
type Loose = Record<string, never>
const drawn = (options: ChartOptions, kind?: AxisKind, more?: Partial<ChartInput>): Loose =>
  drawingOf(options, kind, more).options(looks, { width: 470, height: 270 }) as Loose

test('a stored palette follows the color scheme of the page; custom colors stay', () => {
  const [, { light, dark }] = palettes
  const inDark = (colors: readonly string[]): unknown =>
    drawingOf({ colors: [...colors] }).options({ ...looks, scheme: 'dark' }, { width: 1, height: 1 })['color']
  expect(inDark(light)).toEqual(dark)
  expect(inDark(['#abcdef'])).toEqual(['#abcdef'])
})

test('each value has its keys and the text that is read out', () => {
  const { values, legend, categories } = drawingOf({})
  expect(values.map(({ series, index, text, keys }) => [series, index, text, keys])).toEqual([
    [0, 0, 'January, Oslo: 40', [[1, 'Oslo']]],
    [1, 0, 'January, Rome: 10', [[1, 'Rome']]],
    [0, 1, 'February, Oslo: 30', [[2, 'Oslo']]],
    [1, 1, 'February, Rome: 0', []],
  ])
  expect(legend).toEqual([
    {
      name: 'Oslo',
      keys: [
        [2, 'Oslo'],
        [1, 'Oslo'],
      ],
    },
    { name: 'Rome', keys: [[1, 'Rome']] },
  ])
  expect(categories.map(({ keys }) => keys)).toEqual([
    [
      [1, 'Rome'],
      [1, 'Oslo'],
    ],
    [[2, 'Oslo']],
  ])
  expect(drawingOf({ isStacked: 'percent' }).values[0]?.text).toBe('January, Oslo: 40 (80%)')
})

test('an axis of whole numbers has no fractional ticks', () => {
  const intervalOf = (options: ChartOptions, rows = monthRows) => {
    const axes: { minInterval?: number }[] = drawn(options, 'Column', { rows })['yAxis'] ?? []
    return axes[0]?.minInterval
  }
  expect(intervalOf({})).toBe(1)
  expect(intervalOf({ isStacked: 'percent' })).toBeUndefined()
  expect(intervalOf({}, [...monthRows, { M: 3, City: 'Oslo', n: 0.5 }])).toBeUndefined()
})

test('clicks on values, labels, legends and spans select groups', () => {
  const drawing = drawingOf({})
  expect(keysOfPick(drawing, { kind: 'value', series: 1, index: 0 })).toEqual([[1, 'Rome']])
  expect(keysOfPick(drawing, { kind: 'value', series: 1, index: 1 })).toEqual([])
  expect(keysOfPick(drawing, { kind: 'categories', from: 0, to: 1 })).toHaveLength(3)
  expect(keysOfPick(drawing, { kind: 'legend', name: 'Oslo' })).toHaveLength(2)
})

test('with one key and several values, clicking a legend entry selects nothing', () => {
  const drawing = drawingOf({}, 'Column', { grouping: byCity, rows: cityRows })
  expect(drawing.legend.map(({ name, keys }) => [name, keys])).toEqual([
    ['low', null],
    ['open', null],
    ['close', null],
    ['high', null],
  ])
  expect(keysOfPick(drawing, { kind: 'legend', name: 'low' })).toEqual([])
  expect(keysOfPick(drawing, { kind: 'value', series: 2, index: 1 })).toEqual([[null]])
})

test('selected values are highlighted, and all others dimmed', () => {
  const { series } = drawn({}, 'Column', { chosen: [[1, 'Rome']] }) as unknown as { series: { data: unknown[] }[] }
  expect(series[0]?.data[0]).toEqual({ value: 40, itemStyle: { opacity: 0.25 } })
  expect(series[1]?.data[0]).toEqual({ value: 10, itemStyle: { opacity: 1 } })
  expect(drawingOf({}, 'Column', { chosen: [[1, 'Rome']] }).values.map(({ isMarked }) => isMarked)).toEqual([
    false,
    true,
    false,
    false,
  ])
  // Groups that are not in the chart mark nothing.
  expect(drawn({}, 'Column', { chosen: [[9, 'Bern']] })).toMatchObject({ series: [{ data: [40, 30] }, {}] })
  const line = drawn({}, 'Line', { chosen: [[1, 'Oslo']] })
  expect(line).toMatchObject({
    series: [
      { showSymbol: true, lineStyle: { opacity: 0.6 }, data: [{ value: 40 }, { symbolSize: 0 }] },
      { lineStyle: { opacity: 0.25 } },
    ],
  })
})

test('series can be hidden, and patterns added to colors', () => {
  expect(drawn({}, 'Column', { hidden: ['Oslo'] })).toMatchObject({ legend: { selected: { Oslo: false } } })
  expect(drawingOf({}, 'Column', { hidden: ['Oslo'] }).values).toHaveLength(2)
  expect(drawn({}, 'Line', { hasPatterns: true })).toMatchObject({
    aria: { enabled: true, decal: { show: true }, label: { enabled: false } },
    series: [{ lineStyle: { type: 'solid' } }, { lineStyle: { type: 'dashed' } }],
  })
})

test('texts from data stay plain text, and equal texts stay distinct', () => {
  const rows = [
    { City: '<img src=x onerror=alert(1)>', low: 1 },
    { City: '{a|b}', low: 2 },
    { City: '', low: 3 },
    { City: null, low: 4 },
    { City: 'x'.repeat(500), low: 5 },
  ]
  const drawing = drawingOf({}, 'Column', { grouping: { ...byCity, values: ['low'] }, rows })
  expect(drawing.categories.map(({ name }) => name.slice(0, 30))).toEqual([
    '<img src=x onerror=alert(1)>',
    '❴a|b❵',
    '(no value)',
    '(no value) (2)',
    'x'.repeat(30),
  ])
  const { tooltip } = drawing.options(looks, { width: 1, height: 1 }) as never as {
    tooltip: { renderMode: string; formatter: (points: unknown) => string }
  }
  expect(tooltip.renderMode).toBe('richText')
  expect(tooltip.formatter([{ marker: 'o', seriesIndex: 0, dataIndex: 1 }])).toBe('❴a|b❵\no low: 2')
})

test('the chart depends on its size for labels below the groups and for gridlines with a minimum spacing', () => {
  expect(drawingOf({}).followsSize).toBe(true)
  expect(drawingOf({}, 'Bar').followsSize).toBe(false)
  expect(drawingOf({ hAxes: [{ gridlines: { minSpacing: 9 } }] }, 'Bar').followsSize).toBe(true)
})

test('without keys each value is drawn by itself, and none can be selected', () => {
  const grouping: Grouping = { keys: [], values: ['n'], sums: ['n'] }
  const { values, categories } = drawingOf({}, 'Column', { grouping, rows: [{ n: 5 }] })
  expect(values.map(({ text, keys }) => [text, keys])).toEqual([['All, n: 5', []]])
  expect(categories[0]?.keys).toEqual([])
})

test('categories, ticks and values use the format of their field, unless the axis has one', () => {
  const currency = { style: 'currency', decimals: null, currency: null } as const
  const plain = { style: 'plain', decimals: null, currency: null } as const
  const byYear: Grouping = {
    keys: [{ name: 'Year', field: 'Year', part: null, type: 'number', format: plain }],
    values: ['Paid'],
    sums: ['Paid'],
    formats: { Paid: currency },
  }
  const more = { grouping: byYear, rows: [{ Year: 2022, Paid: 12_500.5 }] }
  expect(drawingOf({}, 'Column', more).values.map(({ text }) => text)).toEqual(['2022, Paid: $12,500.50'])
  const tickOf = (options: ChartOptions): string | undefined => {
    const axes: { axisLabel: { formatter: (value: number) => string } }[] =
      drawn(options, 'Column', more)['yAxis'] ?? []
    return axes[0]?.axisLabel.formatter(12_000)
  }
  expect(tickOf({})).toBe('$12K')
  expect(tickOf({ vAxis: { format: 'decimal' } })).toBe('12,000')
})
