import { Text } from '@mantine/core'

const shownNames = 3

/** Names in a table cell: the first ones, and the number of others; hovering shows all. */
export function RowNames({ names }: { names: readonly string[] }) {
  if (names.length === 0) return <span aria-label="none">–</span>
  const hidden = names.length - shownNames
  const text = names.slice(0, hidden > 0 ? shownNames : names.length).join(', ')
  return (
    <Text component="span" size="sm" fz={13} title={names.join(', ')}>
      {hidden > 0 ? `${text} and ${hidden} more` : text}
    </Text>
  )
}
