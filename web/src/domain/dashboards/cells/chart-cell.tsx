import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { GroupChart } from '#domain/charts'
import { withClick } from '../interaction-changes.ts'
import type { AnsweredProps } from './cell-props.ts'
import { groupingOfCell } from './group-columns.ts'

const noKeys: [] = []

/** Groups as a chart; a click narrows the other cells to a group. */
export function ChartCell({ cell, answer, choosing }: AnsweredProps) {
  const { id, chart } = cell
  const { type, title, options } = chart
  const grouping = useMemo(() => groupingOfCell(chart, answer), [chart, answer])
  if (!grouping) return <Text size="sm">This chart groups by a computed field. Show it as a table.</Text>
  if (type !== 'Area' && type !== 'Bar' && type !== 'Column' && type !== 'Combo' && type !== 'Line' && type !== 'Pie') {
    return null
  }
  const chosen = choosing?.interaction.clicks.find((click) => click.cell === id)?.keys ?? noKeys
  return (
    <GroupChart
      label={`${title || type}: chart of ${answer.rows.length} groups`}
      kind={type}
      options={options}
      grouping={grouping}
      rows={answer.rows}
      chosen={chosen}
      {...(choosing && {
        onChoose: (keys, isAdding) => choosing.change((now) => withClick(now, id, keys, { isAdding })),
      })}
    />
  )
}
