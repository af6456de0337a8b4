import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import { addDecimals } from '@portico/domain/decimals'
import { formatNumber } from '#lib/formats.ts'
import type { ChartLooks } from '#ui/chart/chart-looks.ts'
import { shapedData } from './chart-data.ts'
import type { ChartData, ChartInput, DrawnValue, Drawing, Keys } from './chart-input.ts'
import { textOn } from './colors.ts'
import { areaOf, backgroundOf, commonOf, legendOf, legendPlaceOf, looksOn, seriesColors, tooltipOf } from './frame.ts'
import { formatComputed } from '../field-value.ts'
import { type Marks, marksOf } from './marks.ts'
import { numberFormat } from './number-format.ts'

/** A slice, and the groups that it stands for: the one that is the rest, for all that it sums. */
type Slice = { name: string; value: number; keys: Keys; isRest: boolean }

/** Smallest share of a slice of its own, as in Google's charts. */
const usualThreshold = 1 / 720

/** The share of the place that a pie fills. */
const fullRadius = 82

const restName = 'Other'

/** As many slices as people tell apart. Smaller ones are in the rest, unless a threshold is set. */
const mostSlices = 8

/**
 * The slices of a pie: those below the threshold are one, at the end, and so are all but the largest where values can be added up.
 * Only values above zero have a slice.
 */
function slicesOf(groups: readonly Slice[], options: ChartOptions, canSum: boolean): Slice[] {
  const all = groups.filter(({ value }) => value > 0)
  const sum = all.reduce((total, { value }) => total + value, 0)
  const { sliceVisibilityThreshold: threshold } = options
  const least = (threshold ?? usualThreshold) * sum
  const isCapped = canSum && threshold === undefined
  const large = new Set(isCapped ? all.toSorted((one, other) => other.value - one.value).slice(0, mostSlices) : all)
  const isShown = (slice: Slice): boolean => slice.value >= least && large.has(slice)
  const small = all.filter((slice) => !isShown(slice))
  const shown = all.filter(isShown)
  const ordered = options.reverseCategories ? shown.toReversed() : shown
  if (small.length === 0) return ordered
  const rest: Slice = {
    name: freeName(
      options.pieResidueSliceLabel ?? restName,
      ordered.map(({ name }) => name),
    ),
    value: small.reduce((total, { value }) => addDecimals(total, value), 0),
    keys: small.flatMap(({ keys }) => keys),
    isRest: true,
  }
  return [...ordered, rest]
}

/** A group may have the name of the rest. */
const freeName = (name: string, taken: readonly string[]): string =>
  taken.includes(name) ? freeName(`${name} …`, taken) : name

/** Each category as one group, summed over the other keys where a sum has a meaning; else each group by itself. */
function groupsOf({ categories, categoryKeys, categoryKey, series }: ChartData, canSum: boolean): Slice[] {
  if (!categoryKey) {
    return series.map(({ name, data }) => ({ name, value: data[0] ?? 0, keys: [], isRest: false }))
  }
  const [first] = series
  const drawn = series.every(({ legendKeys }) => legendKeys !== null) ? series : first ? [first] : []
  if (canSum || drawn.length < 2) {
    return categories.map((name, at) => ({
      name,
      value: drawn.reduce((sum, { data }) => addDecimals(sum, data[at] ?? 0), 0),
      keys: categoryKeys[at] ?? [],
      isRest: false,
    }))
  }
  return categories.flatMap((category, at) =>
    drawn.map(({ name, data, keys }) => ({
      name: `${category} · ${name}`,
      value: data[at] ?? 0,
      keys: keys[at] ?? [],
      isRest: false,
    })),
  )
}

const exact = numberFormat('decimal')
const percent = numberFormat('percent')

/** Draws pies and donuts, which have a hole. They are flat, also where `is3D` is stored. */
export function pieChart(input: ChartInput): Drawing {
  const { options, grouping, chosen, hidden = [] } = input
  // A pie has one value.
  const [value = ''] = grouping.values
  const oneValue = grouping.keys.length > 0 ? { ...grouping, values: [value] } : grouping
  const canSum = grouping.sums.includes(value)
  const groups = groupsOf(shapedData({ ...input, grouping: oneValue }), canSum)
  const slices = slicesOf(groups, options, canSum)
  const marks = marksOf(
    chosen,
    slices.map(({ keys }) => keys),
  )
  const format = grouping.formats?.[value]
  const write = format ? (each: number) => formatComputed(each, format) : exact
  const total = slices.reduce((sum, slice) => sum + slice.value, 0)
  const values = slices.flatMap((slice, index): DrawnValue[] => {
    if (hidden.includes(slice.name)) return []
    const text = `${slice.name}: ${write(slice.value)}, ${percent(slice.value / total)}`
    return [{ series: 0, index, text, keys: slice.keys, isMarked: marks.isMarked(slice.keys) }]
  })
  return {
    options: (looks) => optionsOf({ input, slices, marks, total, write }, looks),
    values,
    legend: slices.map(({ name, keys }) => ({ name, keys: keys.length > 0 ? keys : null })),
    categories: [],
    categoryAxis: null,
    isLine: false,
    needsMore: false,
    followsSize: false,
    notes: notesOf(groups),
  }
}

/** Says which groups have no slice. */
function notesOf(groups: readonly Slice[]): string[] {
  const left = groups.filter(({ value }) => value <= 0).length
  if (left === 0) return []
  if (left === groups.length) return ['Nothing to draw: no value is above zero.']
  return [
    `${formatNumber(left)} of ${formatNumber(groups.length)} groups ${left === 1 ? 'is' : 'are'} not drawn: zero or negative.`,
  ]
}

type Parts = { input: ChartInput; slices: Slice[]; marks: Marks; total: number; write: (value: number) => string }

function optionsOf({ input, slices, marks, total, write }: Parts, pageLooks: ChartLooks) {
  const { options, hidden = [], hasPatterns = false } = input
  const { pieHole = 0, pieStartAngle = 0, pieSliceText = 'percentage' } = options
  const looks = looksOn(options, pageLooks)
  const colors = seriesColors(options, looks)
  // Each slice keeps its color in the reverse order.
  const last = slices.filter(({ isRest }) => !isRest).length - 1
  const colorOf = ({ isRest }: Slice, at: number): string =>
    isRest
      ? (options.pieResidueSliceColor ?? mixedGrey(looks))
      : (colors[(options.reverseCategories ? last - at : at) % colors.length] ?? looks.text)
  return {
    ...commonOf(options, looks, hasPatterns),
    ...backgroundOf(options, boxOf(options)),
    legend: { ...legendOf(options, looks, hidden), data: slices.map(({ name }) => name) },
    tooltip: {
      ...tooltipOf(looks),
      trigger: 'item',
      formatter: (point: { dataIndex?: number; marker?: string }) => {
        const slice = slices[point.dataIndex ?? -1]
        return slice
          ? `${point.marker ?? ''} ${slice.name}\n${write(slice.value)} (${percent(slice.value / total)})`
          : ''
      },
    },
    series: [
      {
        type: 'pie',
        ...boxOf(options),
        radius: [`${pieHole * fullRadius}%`, `${fullRadius}%`],
        // Google's angles begin at the top, ECharts' at the right.
        startAngle: 90 - pieStartAngle,
        clockwise: true,
        minShowLabelAngle: 12,
        showEmptyCircle: false,
        emphasis: { scaleSize: 4 },
        itemStyle: { borderWidth: 1, borderColor: options.pieSliceBorderColor ?? looks.surface },
        label: {
          show: pieSliceText !== 'none',
          position: 'inside',
          fontSize: options.fontSize ?? 11,
          formatter: ({ dataIndex, percent: share }: { dataIndex: number; percent?: number }) =>
            labelOf(slices[dataIndex], pieSliceText, (share ?? 0) / 100, write),
        },
        data: slices.map((slice, at) => ({
          name: slice.name,
          value: slice.value,
          itemStyle: { color: colorOf(slice, at), opacity: marks.opacityOf(slice.keys) },
          label: { color: textOn(colorOf(slice, at)) },
        })),
      },
    ],
  }
}

const mixedGrey = ({ scheme }: ChartLooks): string => (scheme === 'dark' ? '#6b788d' : '#aab4c3')

function labelOf(
  slice: Slice | undefined,
  text: NonNullable<ChartOptions['pieSliceText']>,
  share: number,
  write: Parts['write'],
): string {
  if (!slice) return ''
  return { percentage: percent(share), value: write(slice.value), label: slice.name, none: '' }[text]
}

/** A pie needs no room for labels of axes. */
function boxOf(options: ChartOptions) {
  const box = areaOf(options)
  const isPlain = options.chartArea === undefined && legendPlaceOf(options) === 'in'
  return isPlain ? { ...box, left: 0, right: 0 } : box
}
