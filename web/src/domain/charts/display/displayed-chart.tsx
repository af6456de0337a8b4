import type { ChartDisplay } from '@portico/contract/dashboards/cell-chart'
import { useMemo } from 'react'
import { accountTimeZone } from '#lib/session/session.ts'
import { DrawnChart } from '../drawn-chart.tsx'
import { formatComputed } from '../field-value.ts'
import type { GroupChartProps } from '../group-chart-props.ts'
import { chartDataOf } from '../options/chart-data.ts'
import type { ChartData, ChartInput, Drawing } from '../options/chart-input.ts'
import { drawChart } from '../options/draw-chart.ts'
import { runningOf } from './run-values.ts'
import { bandText, goalText, withMarks } from './mark-values.ts'
import { shapeOf } from './shape-groups.ts'

type DrawnInput = ChartInput & { kind: Parameters<typeof drawChart>[0]['kind']; isCut?: boolean | undefined }

const none: ChartDisplay = {}

/** A chart with a goal, a band, running values, or the largest of its groups. */
export function DisplayedChart({
  label,
  display = none,
  kind,
  options,
  grouping,
  rows,
  chosen,
  hidden,
  hasPatterns,
  isCut,
  ...choosing
}: GroupChartProps) {
  const drawing = useMemo(
    () =>
      kind === 'Geo'
        ? null
        : drawDisplayed(
            {
              kind,
              options,
              grouping,
              rows,
              isCut,
              ...(chosen && { chosen }),
              ...(hidden && { hidden }),
              ...(hasPatterns && { hasPatterns }),
            },
            display,
            accountTimeZone(),
          ),
    [kind, options, grouping, rows, chosen, hidden, hasPatterns, isCut, display],
  )
  if (!drawing) return null
  return (
    <DrawnChart
      label={labelWith(label, display, { kind, grouping })}
      options={options}
      drawing={drawing}
      {...choosing}
    />
  )
}

/** Draws a chart with what its display adds; notes say what of it has no place. */
export function drawDisplayed(input: DrawnInput, display: ChartDisplay, timeZone?: string): Drawing {
  const { grouping, rows, options, kind } = input
  const { shape, notes } = shapeOf(display, grouping)
  const running = runningOf(display, input)
  const shaped = { ...input, shape: (data: ChartData) => running.shape(shape(data)) }
  const hidden = input.hidden && renamedSeries(input.hidden, shaped, input)
  const drawing = drawChart({ ...shaped, ...(hidden && { hidden }) }, timeZone)
  const isMarked = display.goal !== undefined || display.band !== undefined
  const marked = isMarked ? withMarks(drawing, display, options, writer(input)) : drawing
  return {
    ...marked,
    notes: [
      ...marked.notes,
      // A pie draws the first value only.
      ...notes(chartDataOf(kind === 'Pie' ? { ...grouping, values: grouping.values.slice(0, 1) } : grouping, rows)),
      ...running.notes,
      ...(isMarked && kind === 'Pie' ? ['A pie has no axis for a goal or a range.'] : []),
    ],
  }
}

/** The names of series as they are drawn, which are hidden by those that they have without a display. */
function renamedSeries(
  names: readonly string[],
  shaped: DrawnInput,
  { shape: _drawn, ...plain }: DrawnInput,
): string[] {
  if (names.length === 0) return []
  const drawn = drawChart(shaped).legend
  const places = new Map(drawChart(plain).legend.map(({ name }, at) => [name, at]))
  return names.map((name) => drawn[places.get(name) ?? -1]?.name ?? name)
}

/** Goals are read out with the chart. */
function labelWith(label: string, { goal, band }: ChartDisplay, input: Pick<ChartInput, 'grouping' | 'kind'>): string {
  if (input.kind === 'Pie') return label
  const write = writer(input)
  return [label, ...(goal ? [goalText(goal, write)] : []), ...(band ? [bandText(band, write)] : [])].join(', ')
}

/** Values of marks are written as those of the first series. */
function writer({ grouping: { values, formats } }: Pick<ChartInput, 'grouping'>): (value: number) => string {
  const format = formats?.[values[0] ?? '']
  return (value) => formatComputed(value, format)
}
