import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import type { ChartLooks } from '#ui/chart/chart-looks.ts'
import type { Marked } from './axis-chart.ts'
import type { ChartData, Keys } from './chart-data.ts'
import { areaOf, commonOf, legendOf, legendPlaceOf, tooltipOf } from './frame.ts'

/** A slice, and the groups that it stands for: `Other` for all that it sums. */
export type Slice = { name: string; value: number; keys: Keys; isRest: boolean }

const usualThreshold = 1 / 720

/** The slices of a pie: small ones are one slice, at the end. */
export function slicesOf({ categories, series, categoryKeys }: ChartData, options: ChartOptions): Slice[] {
  const [values] = series
  const all = categories.flatMap((name, at): Slice[] => {
    const value = values?.data[at]
    // A pie has no place for what is below zero.
    return typeof value === 'number' && value > 0 ? [{ name, value, keys: categoryKeys[at] ?? [], isRest: false }] : []
  })
  const sum = all.reduce((total, { value }) => total + value, 0)
  const least = (options.sliceVisibilityThreshold ?? usualThreshold) * sum
  const small = all.filter(({ value }) => value < least)
  const shown = small.length > 1 ? all.filter(({ value }) => value >= least) : all
  const ordered = options.reverseCategories ? shown.toReversed() : shown
  if (small.length < 2) return ordered
  const rest: Slice = {
    name: options.pieResidueSliceLabel ?? 'Other',
    value: small.reduce((total, { value }) => total + value, 0),
    keys: small.flatMap(({ keys }) => keys),
    isRest: true,
  }
  return [...ordered, rest]
}

const labels = { percentage: '{d}%', value: '{c}', label: '{b}' } as const

const faint = 0.28

type Drawing = { options: ChartOptions; slices: Slice[]; looks: ChartLooks; isMarked: Marked | null }

/** Options of ECharts for a pie or donut. It is drawn flat, also where `is3D` is stored. */
export function pieChart({ options, slices, looks, isMarked }: Drawing) {
  const { pieSliceText = 'percentage', pieStartAngle = 0, pieHole = 0 } = options
  const names = slices.map(({ name }) => name)
  const outer = 82
  const position = legendPlaceOf(options)
  return {
    ...commonOf(options, looks),
    legend: legendOf(options, looks, names),
    tooltip: { ...tooltipOf(looks), trigger: 'item' },
    series: [
      {
        type: 'pie',
        ...areaOf(options, position !== 'in'),
        radius: [`${pieHole * outer}%`, `${outer}%`],
        startAngle: 90 - pieStartAngle,
        clockwise: true,
        minShowLabelAngle: 12,
        label:
          pieSliceText === 'none'
            ? { show: false }
            : {
                show: true,
                position: 'inside',
                formatter: labels[pieSliceText],
                color: '#fff',
                fontSize: options.fontSize ?? 11,
              },
        itemStyle: { borderWidth: 1, borderColor: options.pieSliceBorderColor ?? looks.surface },
        data: slices.map(({ name, value, keys, isRest }) => ({
          name,
          value,
          itemStyle: {
            ...(isMarked && { opacity: isMarked(keys) ? 1 : faint }),
            ...(isRest && { color: options.pieResidueSliceColor ?? '#8a97ab' }),
          },
        })),
      },
    ],
  }
}
