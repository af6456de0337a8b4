import type { ChartDisplay } from '@portico/contract/dashboards/cell-chart'
import type { Ref } from 'react'
import type { ChartHandle } from '#ui/chart/chart.tsx'
import type { ChartInput, Keys } from './options/chart-input.ts'

export type ChoosingProps = {
  /** The groups that were chosen. `isAdding`: in addition to those that are. Without it nothing can be chosen. */
  onSelect?: ((keys: Keys, how: { isAdding: boolean }) => void) | undefined
  /** Everything is to be shown again. */
  onReset?: (() => void) | undefined
  /** Drawn also while it is far from the visible part of the page, as for print. */
  isEager?: boolean | undefined
  ref?: Ref<ChartHandle> | undefined
}

export type GroupChartProps = ChartInput &
  ChoosingProps & {
    /** Goals, bands, the largest groups and running values, whose code is loaded with them. */
    display?: ChartDisplay | undefined
    /** There are more groups than the rows. */
    isCut?: boolean | undefined
    /** Says what is drawn, for those who do not see it. */
    label: string
  }
