import type { CellAnswer } from '@portico/contract/dashboards'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import type { DashboardCell } from '@portico/contract/dashboards/definition'
import type { Ref } from 'react'
import type { ChartHandle } from '#ui/chart/chart.tsx'
import type { CellSource } from '../dashboard-queries.ts'
import type { Choosing } from '../interaction-address.ts'

/** A cell with content. */
export type FilledCell = DashboardCell & { chart: CellChart }

/** A contact or a group. */
export type CellRow = CellAnswer['rows'][number]

export type CellContentProps = {
  cell: FilledCell
  source: CellSource
  /** Null while a dashboard is being edited: choosing is disabled then. */
  choosing: Choosing | null
  shows: 'chart' | 'table'
  /** Has been near the visible part of the page. Other cells are requested last, and not drawn yet. */
  isVisible: boolean
  /** Opens the contacts or events behind a row; null for users who may not, and while a dashboard is being edited. */
  onOpenRow?: ((row: CellRow) => void) | null
  /** Series and slices of a chart that are not drawn. */
  hidden?: readonly string[]
  /** Receives the days that the shown answer is narrowed to. */
  onDates?: ((dates: CellAnswer['dates']) => void) | undefined
  /** The drawn chart, for its image. */
  picture?: Ref<ChartHandle> | undefined
}

/** A cell with its answer, as each kind shows it. */
export type AnsweredProps = Omit<CellContentProps, 'source' | 'isVisible'> & { answer: CellAnswer; source: CellSource }
