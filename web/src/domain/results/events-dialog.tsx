import { Button, Group, Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { formatCount } from '#lib/formats.ts'
import { type Column, DataTable } from '#ui/table/data-table.tsx'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { type Event, eventDetails } from './events.ts'
import { formatValue } from '#domain/charts'
import { WithZone } from './with-zone.tsx'

type EventsDialogProps = { isOpen: boolean; onClose: () => void; events: Event[] }

const pageSize = 10

const columns: Column<Event>[] = [
  { key: 'event_code', title: 'Event', isRowHeader: true, render: (event) => formatValue(event['event_code']) },
  { key: 'event_date', title: 'Date', render: (event) => formatValue(event['event_date'], 'date') },
  { key: 'app_code', title: 'Application', render: (event) => formatValue(event['app_code']) },
  { key: 'is_trigger', title: 'Trigger', render: (event) => formatValue(event['is_trigger']) },
]

/** The behaviour recorded of one contact. */
export function EventsDialog({ isOpen, onClose, events }: EventsDialogProps) {
  const [page, setPage] = useState(1)
  const rows = events.map((event, index) => ({ ...event, index }))
  return (
    <Modal opened={isOpen} onClose={onClose} title="Events" size="xl" centered>
      <DataTable
        label="Events"
        columns={columns}
        records={rows.slice((page - 1) * pageSize, page * pageSize)}
        total={rows.length}
        getRecordId={({ index }) => String(index)}
        getRecordLabel={(event) => `event ${event.index + 1}`}
        page={page}
        pageSize={pageSize}
        pageSizes={[pageSize]}
        onPageChange={setPage}
        expansion={(event) => <EventDetails event={event} />}
        empty={null}
      />
      <Group justify="space-between" mt="md">
        <Text size="sm" c="dimmed">
          <WithZone hasDates>{formatCount(rows.length, 'event')}</WithZone>
        </Text>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
    </Modal>
  )
}

const shownElsewhere = [...columns.map(({ key }) => key), 'index']

function EventDetails({ event }: { event: Event }) {
  const items = eventDetails(event, shownElsewhere)
  if (items.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No details are available
      </Text>
    )
  }
  return <DefinitionList columns={3} items={items} />
}
