import { Text } from '@mantine/core'
import { formatValue } from '#domain/charts'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { type Column, DataTable } from '#ui/table/data-table.tsx'
import { type Event, eventDetails } from './events.ts'

/** Events per page (specification 4 §9). */
export const eventsPageSize = 10

type EventsTableProps = {
  /** The page; undefined until loaded. */
  events: readonly Event[] | undefined
  /** Number of events on all pages; undefined until known. */
  total: number | undefined
  /** Counted from 1. */
  page: number
  onPageChange: (page: number) => void
  /** Columns before the event columns. */
  before?: Column<Event>[]
  isStale?: boolean
}

const columns: Column<Event>[] = [
  { key: 'event_code', title: 'Event', isRowHeader: true, render: (event) => formatValue(event['event_code']) },
  { key: 'event_date', title: 'Date', render: (event) => formatValue(event['event_date'], 'date') },
  { key: 'app_code', title: 'Application', render: (event) => formatValue(event['app_code']) },
  { key: 'is_trigger', title: 'Trigger', render: (event) => formatValue(event['is_trigger']) },
]

/** Events in pages of ten; a row expands to their other details. */
export function EventsTable({ events, total, page, onPageChange, before = [], isStale = false }: EventsTableProps) {
  const first = (page - 1) * eventsPageSize
  const shown = [...before, ...columns]
  const elsewhere = [...shown.map(({ key }) => key), numberKey]
  return (
    <DataTable
      label="Events"
      columns={shown}
      records={events?.map((event, at): Event => ({ ...event, [numberKey]: first + at + 1 }))}
      total={total}
      getRecordId={(event) => String(event[numberKey])}
      getRecordLabel={(event) => `event ${String(event[numberKey])}`}
      page={page}
      pageSize={eventsPageSize}
      pageSizes={[eventsPageSize]}
      onPageChange={onPageChange}
      expansion={(event) => <EventDetails event={event} elsewhere={elsewhere} />}
      isStale={isStale}
      empty={<Text p="sm">No events</Text>}
    />
  )
}

/** Key for an event's position in the list, next to its own values. */
const numberKey = '#'

function EventDetails({ event, elsewhere }: { event: Event; elsewhere: string[] }) {
  const items = eventDetails(event, elsewhere)
  if (items.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No details are available
      </Text>
    )
  }
  return <DefinitionList columns={3} items={items} />
}
