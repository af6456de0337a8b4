import { Alert, Button, Group } from '@mantine/core'
import IconBolt from '#icons/IconBolt'
import { formatCount } from '#lib/formats.ts'

type EventColumnsProps = {
  /** Columns of a file of contacts that are named like fields of events. */
  columns: readonly string[]
  onEvents: () => void
  onLeaveOut: () => void
}

/** Offers ways out for columns such as `events.event_code`, which a field of contacts cannot be named. */
export function EventColumns({ columns, onEvents, onLeaveOut }: EventColumnsProps) {
  const [first] = columns
  if (first === undefined) return null
  const isOne = columns.length === 1
  return (
    <Alert
      color="orange"
      icon={<IconBolt size={17} />}
      p="8px 12px"
      title={`${formatCount(columns.length, 'column')} of events`}
      style={{ overflowWrap: 'anywhere' }}
    >
      {isOne
        ? `"${first}" is named like a field of events. Rename or skip it for contacts, or import the file as events.`
        : `Columns such as "${first}" are named like fields of events. Rename or skip them for contacts, or import the file as events.`}
      <Group gap="xs" mt={6}>
        <Button variant="default" size="compact-sm" onClick={onEvents}>
          Import as events
        </Button>
        <Button variant="default" size="compact-sm" onClick={onLeaveOut}>
          {isOne ? 'Skip this column' : 'Skip these columns'}
        </Button>
      </Group>
    </Alert>
  )
}
