import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import { defaultChartOptions } from '@portico/contract/dashboards/chart-defaults'
import { Chart } from '#ui/chart/chart.tsx'
import type { ChartPick } from '#ui/chart/chart-pick.ts'
import type { ChartMap } from '#ui/chart/chart-map.ts'
import css from './drawn-chart.module.css'
import type { ChoosingProps } from './group-chart-props.ts'
import type { Drawing } from './options/chart-input.ts'
import { keysOfPick } from './options/keys-of-pick.ts'

type DrawnChartProps = ChoosingProps & {
  label: string
  options: ChartOptions
  drawing: Drawing
  map?: ChartMap | null
}

/** Height of a note of one line with its margin, in pixels; the stylesheet sets the same. */
const noteHeight = 22

/**
 * A drawing in the page, whose parts can be chosen, and what it cannot show. Its notes take their room from the drawing,
 * so that nothing below moves when they appear.
 */
export function DrawnChart({ label, options, drawing, map = null, ...choosing }: DrawnChartProps) {
  const { onSelect, onReset, isEager = false, ref } = choosing
  const pick = (picked: ChartPick, isAdding: boolean): void => {
    const keys = keysOfPick(drawing, picked)
    if (keys.length > 0) onSelect?.(keys, { isAdding })
  }
  return (
    <>
      <Chart
        label={label}
        height={(options.height ?? defaultChartOptions.height) - drawing.notes.length * noteHeight}
        options={drawing.options}
        parts={map ? 'map' : drawing.needsMore ? 'more' : 'usual'}
        map={map}
        followsSize={drawing.followsSize}
        stops={drawing.values}
        categoryAxis={drawing.categoryAxis}
        isLine={drawing.isLine}
        onPick={onSelect && pick}
        onReset={onReset}
        isEager={isEager}
        ref={ref}
      />
      {drawing.notes.map((note) => (
        <p key={note} className={css['note']}>
          {note}
        </p>
      ))}
    </>
  )
}
