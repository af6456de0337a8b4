import { Button, Group, Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { formatCount } from '#lib/formats.ts'
import { eventsPageSize, EventsTable } from './events-table.tsx'
import type { Event } from './events.ts'
import { WithZone } from './with-zone.tsx'

type EventsDialogProps = { isOpen: boolean; onClose: () => void; events: Event[] }

/** The recorded behavior of one contact. */
export function EventsDialog({ isOpen, onClose, events }: EventsDialogProps) {
  const [page, setPage] = useState(1)
  return (
    <Modal opened={isOpen} onClose={onClose} title="Events" size="xl" centered>
      <EventsTable
        events={events.slice((page - 1) * eventsPageSize, page * eventsPageSize)}
        total={events.length}
        page={page}
        onPageChange={setPage}
      />
      <Group justify="space-between" mt="md">
        <Text size="sm" c="dimmed">
          <WithZone hasDates>{formatCount(events.length, 'event')}</WithZone>
        </Text>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
    </Modal>
  )
}
