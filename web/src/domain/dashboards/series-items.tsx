import { groupingOfChart } from '@portico/contract/dashboards/dashboard-cells'
import type { CellAnswer } from '@portico/contract/dashboards'
import { Menu } from '@mantine/core'
import IconEyeOff from '#icons/IconEyeOff'
import { seriesNamesOf } from '#domain/charts'
import type { FilledCell } from './cells/cell-props.ts'

type SeriesItemsProps = {
  cell: FilledCell
  answer: CellAnswer | undefined
  hidden: readonly string[]
  onHide: (names: string[]) => void
}

/** Menu entries that hide and show a chart's series or slices; none if there is only one. */
export function SeriesItems({ cell, answer, hidden, onHide }: SeriesItemsProps) {
  const grouping = answer && groupingOfChart(cell.chart, answer.fields)
  const names = grouping ? seriesNamesOf(cell.chart.type, cell.chart.options, grouping, answer.rows) : []
  if (names.length < 2) return null
  const toggle = (name: string): void =>
    onHide(hidden.includes(name) ? hidden.filter((each) => each !== name) : [...hidden, name])
  return (
    <Menu.Sub>
      <Menu.Sub.Target>
        <Menu.Sub.Item leftSection={<IconEyeOff size={15} aria-hidden />}>Series</Menu.Sub.Item>
      </Menu.Sub.Target>
      <Menu.Sub.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        {names.map((name) => (
          <Menu.CheckboxItem
            key={name}
            checked={!hidden.includes(name)}
            closeMenuOnClick={false}
            onChange={() => toggle(name)}
          >
            {name}
          </Menu.CheckboxItem>
        ))}
      </Menu.Sub.Dropdown>
    </Menu.Sub>
  )
}
