import { groupingOfChart } from '@portico/contract/dashboards/dashboard-cells'
import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { ChartTable, GroupChart } from '#domain/charts'
import { useSetting } from '#lib/settings.ts'
import { useIsPrinting } from '../printing.ts'
import { withClick, withoutCell } from '../interaction-changes.ts'
import type { AnsweredProps } from './cell-props.ts'
import { GroupTable } from './group-table.tsx'

const noKeys: [] = []
const noneHidden: readonly string[] = []
const chartKinds = ['Area', 'Bar', 'Column', 'Combo', 'Geo', 'Line', 'Pie'] as const

/** Groups as a chart, or as a table of the same rows; a click narrows the other cells to a group. */
export function ChartCell(props: AnsweredProps) {
  const { cell, answer, choosing, shows, hidden = noneHidden, picture } = props
  const [hasPatterns] = useSetting('hasChartPatterns')
  const { id, chart } = cell
  const { type, title, options } = chart
  const isPrinting = useIsPrinting()
  const grouping = useMemo(() => groupingOfChart(chart, answer.fields), [chart, answer])
  const kind = chartKinds.find((each) => each === type)
  if (!grouping || !kind) {
    if (shows === 'table') return <GroupTable {...props} />
    return <Text size="sm">This chart groups by a computed field. Show it as a table.</Text>
  }
  const same = {
    kind,
    grouping,
    rows: answer.rows,
    display: chart.portico?.display,
    isCut: answer.total > answer.rows.length,
    chosen: choosing?.interaction.clicks.find((click) => click.cell === id)?.keys ?? noKeys,
    onSelect: choosing
      ? (keys: Parameters<typeof withClick>[2], { isAdding }: { isAdding: boolean }): void =>
          choosing.change((now) => withClick(now, id, keys, { isAdding }))
      : undefined,
  }
  if (shows === 'table') return <ChartTable caption={title || type} isWhole={isPrinting} {...same} />
  return (
    <GroupChart
      label={`${title || type}: chart of ${answer.rows.length} groups`}
      options={options}
      hidden={hidden}
      hasPatterns={hasPatterns}
      {...same}
      isEager={isPrinting}
      onReset={choosing ? () => choosing.change((now) => withoutCell(now, id)) : undefined}
      ref={picture}
    />
  )
}
