import type { ChartDisplay } from '@portico/contract/dashboards/cell-chart'
import { hasAxes } from '@portico/contract/dashboards/axis-kinds'
import { noAxis, refuseRunning, runningName, runValues } from '@portico/domain/dashboards/running-values'
import { toPlace } from '@portico/domain/dashboards/time-places'
import type { Grouping } from '@portico/domain/pipeline/grouping'
import type { Row } from '@portico/domain/pipeline/pipeline'
import { formatNumber } from '#lib/formats.ts'
import { drawnNames } from '../options/chart-data.ts'
import type { ChartData, ChartInput, ChartSeries } from '../options/chart-input.ts'

type RunningInput = Pick<ChartInput, 'grouping' | 'kind' | 'rows'> & { isCut?: boolean | undefined }

/** Returns how values are drawn added up, or as means of the last periods. `notes` say why some are not. */
export function runningOf(
  { running = {} }: ChartDisplay,
  { grouping, kind, rows, isCut = false }: RunningInput,
): { shape: (data: ChartData) => ChartData; notes: string[] } {
  const wanted = grouping.values.flatMap((value) => {
    const own = running[value]
    if (!own) return []
    return [{ value, own, refusal: hasAxes(kind) ? refuseRunning(grouping, value, own, { rows, isCut }) : noAxis }]
  })
  if (wanted.length === 0) return { shape: (data) => data, notes: [] }
  const drawn = new Map(wanted.filter(({ refusal }) => refusal === null).map(({ value, own }) => [value, own]))
  return {
    shape: (data) => {
      const series = data.series.map((one): ChartSeries => {
        const own = drawn.get(one.value ?? '')
        if (!own) return one
        // '(no value)' is the last place, and no part of the course.
        const length = data.categoryValues.at(-1) === null ? one.data.length - 1 : one.data.length
        const run = runValues(one.data.slice(0, length), own)
        return { ...one, name: runningName(one.name, own), data: [...run, ...one.data.slice(length).map(() => null)] }
      })
      const names = drawnNames(series.map(({ name }) => name))
      return { ...data, series: series.map((one, at) => ({ ...one, name: names[at] ?? one.name })) }
    },
    notes: [
      ...wanted.flatMap(({ value, own, refusal }) => (refusal ? [`No ${runningName(value, own)}: ${refusal}`] : [])),
      ...(drawn.size > 0 ? leftOut(grouping, rows) : []),
    ],
  }
}

/** Groups that running values do not have. */
function leftOut({ keys: [key], most }: Grouping, rows: readonly Row[]): string[] {
  const hasNone = key !== undefined && rows.some((row) => toPlace(row[key.name]) === null)
  return [
    ...(hasNone ? ["'(no value)' is no part of cumulative values and moving averages."] : []),
    ...(most !== undefined && rows.length >= most
      ? [
          `Cumulative values and moving averages begin with the first of the ${formatNumber(most)} groups that the filter keeps.`,
        ]
      : []),
  ]
}
