import { ActionIcon, Text } from '@mantine/core'
import IconArrowDown from '#icons/IconArrowDown'
import IconArrowUp from '#icons/IconArrowUp'
import css from './ordered-names.module.css'

type OrderedNamesProps = {
  /** Names the list for screen readers: 'Order of the columns'. */
  label: string
  names: readonly string[]
  onChange: (names: string[]) => void
}

/** Names in their order, each with buttons that move it up and down; nothing for a single name. */
export function OrderedNames({ label, names, onChange }: OrderedNamesProps) {
  if (names.length < 2) return null
  const move = (from: number, to: number): void =>
    onChange(names.toSpliced(from, 1).toSpliced(to, 0, names[from] ?? ''))
  return (
    <ol className={css['list']} aria-label={label}>
      {names.map((name, index) => (
        <li key={name} className={css['entry']}>
          <Text size="sm" flex={1} truncate>
            {name}
          </Text>
          <ActionIcon aria-label={`Move ${name} up`} disabled={index === 0} onClick={() => move(index, index - 1)}>
            <IconArrowUp size={15} aria-hidden />
          </ActionIcon>
          <ActionIcon
            aria-label={`Move ${name} down`}
            disabled={index === names.length - 1}
            onClick={() => move(index, index + 1)}
          >
            <IconArrowDown size={15} aria-hidden />
          </ActionIcon>
        </li>
      ))}
    </ol>
  )
}
