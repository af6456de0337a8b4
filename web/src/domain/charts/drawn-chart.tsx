import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import { defaultChartOptions } from '@portico/contract/dashboards/chart-options'
import type { Ref } from 'react'
import { Chart, type ChartHandle } from '#ui/chart/chart.tsx'
import type { ChartPick } from '#ui/chart/chart-pick.ts'
import type { ChartMap } from '#ui/chart/load-engine.ts'
import css from './drawn-chart.module.css'
import type { Drawing, Keys } from './options/chart-input.ts'
import { keysOfPick } from './options/keys-of-pick.ts'

export type ChoosingProps = {
  /** The groups that were chosen. `isAdding`: in addition to those that are. Without it nothing can be chosen. */
  onSelect?: ((keys: Keys, how: { isAdding: boolean }) => void) | undefined
  /** Everything is to be shown again. */
  onReset?: (() => void) | undefined
  /** Drawn also while it is far from the visible part of the page, as for print. */
  isEager?: boolean | undefined
  ref?: Ref<ChartHandle> | undefined
}

type DrawnChartProps = ChoosingProps & {
  label: string
  options: ChartOptions
  drawing: Drawing
  map?: ChartMap | null
}

/** A drawing in the page, whose parts can be chosen, and what it cannot show. */
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
        height={options.height ?? defaultChartOptions.height}
        options={drawing.options}
        parts={map ? 'map' : drawing.hasCandles ? 'candles' : 'usual'}
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
