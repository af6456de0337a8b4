import { ActionIcon, Text } from '@mantine/core'
import IconArrowDown from '#icons/IconArrowDown'
import IconArrowUp from '#icons/IconArrowUp'
import css from './column-order.module.css'

type ColumnOrderProps = { columns: readonly string[]; onChange: (columns: string[]) => void }

/** The chosen columns in their order, each with buttons to move it; nothing for fewer than two columns. */
export function ColumnOrder({ columns, onChange }: ColumnOrderProps) {
  if (columns.length < 2) return null
  const move = (from: number, to: number): void =>
    onChange(columns.toSpliced(from, 1).toSpliced(to, 0, columns[from] ?? ''))
  return (
    <ol className={css['order']} aria-label="Order of the columns">
      {columns.map((name, index) => (
        <li key={name} className={css['entry']}>
          <Text size="sm" flex={1} truncate>
            {name}
          </Text>
          <ActionIcon aria-label={`Move ${name} up`} disabled={index === 0} onClick={() => move(index, index - 1)}>
            <IconArrowUp size={15} aria-hidden />
          </ActionIcon>
          <ActionIcon
            aria-label={`Move ${name} down`}
            disabled={index === columns.length - 1}
            onClick={() => move(index, index + 1)}
          >
            <IconArrowDown size={15} aria-hidden />
          </ActionIcon>
        </li>
      ))}
    </ol>
  )
}
