import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { GroupChart } from '#domain/charts'
import { withClick, withoutCell } from '../interaction-changes.ts'
import type { AnsweredProps } from './cell-props.ts'
import { groupingOfCell } from './group-columns.ts'

const noKeys: [] = []
const kinds = ['Area', 'Bar', 'Column', 'Combo', 'Geo', 'Line', 'Pie'] as const

/** Groups as a chart; a click narrows the other cells to a group. */
export function ChartCell({ cell, answer, choosing }: AnsweredProps) {
  const { id, chart } = cell
  const { type, title, options } = chart
  const grouping = useMemo(() => groupingOfCell(chart, answer), [chart, answer])
  const kind = kinds.find((each) => each === type)
  if (!grouping) return <Text size="sm">This chart groups by a computed field. Show it as a table.</Text>
  if (!kind) return null
  const chosen = choosing?.interaction.clicks.find((click) => click.cell === id)?.keys ?? noKeys
  return (
    <GroupChart
      label={`${title || type}: chart of ${answer.rows.length} groups`}
      kind={kind}
      options={options}
      grouping={grouping}
      rows={answer.rows}
      chosen={chosen}
      {...(choosing && {
        onSelect: (keys, { isAdding }) => choosing.change((now) => withClick(now, id, keys, { isAdding })),
        onReset: () => choosing.change((now) => withoutCell(now, id)),
      })}
    />
  )
}
