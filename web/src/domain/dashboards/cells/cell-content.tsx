import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { type CellKind, isChartKind, kpiTemplateOf, ratioTemplate } from '@portico/contract/dashboards/cell-kinds'
import { defaultChartOptions } from '@portico/contract/dashboards/chart-defaults'
import { Text } from '@mantine/core'
import { messageOf } from '#lib/api/api-error.ts'
import { formatNumber } from '#lib/formats.ts'
import { LoadingBlock } from '#ui/feedback/loading-block.tsx'
import { deferred } from '#ui/page/deferred.tsx'
import { useCellAnswer } from '../dashboard-queries.ts'
import css from './cell-content.module.css'
import { CellProblem } from './cell-problem.tsx'
import { useDates } from './use-dates.ts'
import type { AnsweredProps, CellContentProps } from './cell-props.ts'
import { TextPlace } from './text-place.tsx'

/** Pixels reserved for a cell without content yet, to avoid a layout shift. */
const heights: Partial<Record<CellKind, number>> = {
  KPI: 64,
  Dropdown: 34,
  DatePicker: 34,
  Text: 20,
  Table: 320,
  CalculatedTable: 320,
  Pivot: 320,
}

const gaugeHeight = 124

function heightOf(chart: CellChart): number {
  if (chart.type === 'KPI' && kpiTemplateOf(chart) === ratioTemplate) return gaugeHeight
  return heights[chart.type] ?? chart.options.height ?? defaultChartOptions.height
}

/** Keeps the height of a cell whose code is loading. */
const Place = ({ cell }: Pick<CellContentProps, 'cell'>) => <LoadingBlock height={heightOf(cell.chart)} flex={1} />

const ChartCell = deferred(async () => (await import('./chart-cell.tsx')).ChartCell, Place)
const GroupTable = deferred(async () => (await import('./group-table.tsx')).GroupTable, Place)
const CalculatedTable = deferred(async () => (await import('./calculated-table.tsx')).CalculatedTable, Place)
const PivotTable = deferred(async () => (await import('./pivot-table.tsx')).PivotTable, Place)
const KpiTile = deferred(async () => (await import('./kpi-tile.tsx')).KpiTile, Place)
const PagedTable = deferred(async () => (await import('./paged-table.tsx')).PagedTable, Place)
const DropdownCell = deferred(async () => (await import('./dropdown-cell.tsx')).DropdownCell, Place)
const DateCell = deferred(async () => (await import('./date-cell.tsx')).DateCell, Place)
const TextCell = deferred(async () => (await import('./text-cell.tsx')).TextCell, TextPlace)

/** The content of a cell, by its kind. The code is loaded with the first cell of the kind. */
export function CellContent(props: CellContentProps) {
  const { chart } = props.cell
  const height = heightOf(chart)
  return (
    <div className={css['content']} style={{ minHeight: height }}>
      <Kind {...props} height={height} />
    </div>
  )
}

/** Kinds that request their rows themselves, or request none. */
function Kind(props: CellContentProps & { height: number }) {
  const { type, portico } = props.cell.chart
  if (type === 'Text') return <TextCell text={portico?.text ?? ''} />
  if (type === 'DatePicker') return <DateCell {...props} />
  if (type === 'Dropdown') return <DropdownCell {...props} />
  if (type === 'PaginaTable') return <PagedTable {...props} />
  return <Answered {...props} />
}

function Answered({ isVisible, height, onDates, ...props }: CellContentProps & { height: number }) {
  const answer = useCellAnswer(props.source, undefined, { isVisible })
  useDates(answer.data, onDates)
  if (answer.isError && !answer.data) {
    return <CellProblem message={messageOf(answer.error)} onRetry={() => void answer.refetch()} />
  }
  if (!answer.data) return <LoadingBlock height={height} flex={1} />
  const { total, rows } = answer.data
  // A table may list contacts.
  const noun = props.cell.chart.type === 'Table' ? 'rows' : 'groups'
  return (
    <>
      {isVisible && <Shown {...props} answer={answer.data} />}
      {total > rows.length && rows.length > 0 && (
        <Text size="xs" c="dimmed">{`First ${formatNumber(rows.length)} of ${formatNumber(total)} ${noun}`}</Text>
      )}
    </>
  )
}

function Shown(props: AnsweredProps) {
  const { answer, cell } = props
  const { type } = cell.chart
  if (type === 'KPI') return <KpiTile {...props} />
  if (answer.rows.length === 0) {
    return (
      <Text size="sm" c="dimmed" className={css['nothing'] ?? ''}>
        No data
      </Text>
    )
  }
  if (type === 'CalculatedTable') return <CalculatedTable {...props} />
  if (type === 'Pivot') return <PivotTable {...props} />
  if (isChartKind(type)) return <ChartCell {...props} />
  return <GroupTable {...props} />
}
