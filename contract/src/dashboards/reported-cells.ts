import type { CellChart } from './cell-chart.ts'
import { isChartKind } from './cell-kinds.ts'
import type { Definition } from './definition.ts'

/** A cell whose rows a report writes. */
export type ReportCell = { id: string; title: string; chart: CellChart }

/** Returns the tables and charts of a dashboard, row by row. */
export const reportedCells = ({ layout }: Pick<Definition, 'layout'>): ReportCell[] =>
  layout
    .flat()
    .flatMap(({ id, chart }) => (chart && isReported(chart) ? [{ id, chart, title: chart.title || chart.type }] : []))

/** Returns whether a cell has rows that a report can write. */
const isReported = ({ type, filter }: CellChart): boolean =>
  filter !== undefined && (isChartKind(type) || ['Table', 'PaginaTable', 'CalculatedTable', 'Pivot'].includes(type))
