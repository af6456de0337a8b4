import type { ChartDisplay } from '@portico/contract/dashboards/cell-chart'
import type { EChartsCoreOption } from 'echarts/core'
import type { ChartLooks } from '#ui/chart/chart-looks.ts'
import type { Drawing } from '../options/chart-input.ts'
import { looksOn } from '../options/frame.ts'
import type { ChartOptions } from '@portico/contract/dashboards/chart-options'

type Marks = Pick<ChartDisplay, 'band' | 'goal'>
type Axis = 'xAxis' | 'yAxis'

/** The drawing with a line at the goal and an area for the band. */
export function withMarks(
  drawing: Drawing,
  marks: Marks,
  options: ChartOptions,
  write: (value: number) => string,
): Drawing {
  const { categoryAxis } = drawing
  if (categoryAxis === null) return drawing
  const axis = categoryAxis === 'x' ? 'yAxis' : 'xAxis'
  return {
    ...drawing,
    needsMore: true,
    // Beside bars, a range has no room for its label.
    notes: axis === 'xAxis' && marks.band ? [...drawing.notes, bandText(marks.band, write)] : drawing.notes,
    options: (looks, size) => {
      const drawn = drawing.options(looks, size)
      const own = marksOn(axis, marks, looksOn(options, looks), write)
      return { ...drawn, series: [...(drawn['series'] as EChartsCoreOption[]), ...own] }
    },
  }
}

/**
 * Series that hold the marks. None of them is hidden with a series of the chart, and each has its value, for which the axis
 * makes room.
 */
function marksOn(axis: Axis, { goal, band }: Marks, looks: ChartLooks, write: (value: number) => string) {
  const label = (text: string, position: string) => ({
    show: true,
    position,
    formatter: text,
    color: looks.text,
    fontSize: 11,
    fontFamily: looks.font,
    width: 150,
    overflow: 'truncate' as const,
    // Readable over bars.
    textBorderColor: looks.surface,
    textBorderWidth: 3,
  })
  const isAcross = axis === 'yAxis'
  return [
    ...(band
      ? [
          unseen(band.from),
          {
            ...unseen(band.to),
            markArea: {
              silent: true,
              z: 0,
              itemStyle: { color: looks.dimmed, opacity: 0.16 },
              label: isAcross ? label(bandText(band, write), 'insideTopLeft') : { show: false },
              data: [[{ [axis]: band.from }, { [axis]: band.to }]],
            },
          },
        ]
      : []),
    ...(goal
      ? [
          {
            ...unseen(goal.value),
            markLine: {
              silent: true,
              animation: false,
              symbol: 'none',
              lineStyle: { color: looks.text, type: 'dashed', width: 1.5 },
              // Above the drawing, not along the line, which is upright.
              label: label(goalText(goal, write), isAcross ? 'insideEndTop' : 'start'),
              data: [{ [axis]: goal.value }],
            },
          },
        ]
      : []),
  ]
}

const unseen = (value: number) => ({
  type: 'line',
  silent: true,
  symbol: 'none',
  lineStyle: { opacity: 0 },
  data: [value],
})

/** 'Target: 40'. */
export const goalText = ({ value, label }: NonNullable<Marks['goal']>, write: (value: number) => string): string =>
  `${label?.trim() || 'Goal'}: ${write(value)}`

export const bandText = ({ from, to, label }: NonNullable<Marks['band']>, write: (value: number) => string): string =>
  `${label?.trim() || 'Range'}: ${write(from)} – ${write(to)}`
