import type { Offer } from '@portico/contract/contacts'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { Alert, Anchor, Button, Group, Modal, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { contactLabel, useFields } from '#domain/fields'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { useFocusBack } from '#ui/dialog/focus-back.ts'
import { eventsPageSize, EventsTable } from './events-table.tsx'
import type { Event } from './events.ts'
import { countRows, fetchRows } from './fetch-rows.ts'
import { WithZone } from './with-zone.tsx'

type FoundEventsDialogProps = {
  /** Stages that return one row per event, with its values as `events.…` columns next to those of the contact. */
  stages: Pipeline
  /** Says whose events these are: 'City: Oslo'. */
  about: string
  /** More buttons next to Close. */
  actions?: ReactNode
  onClose: () => void
}

/** The events behind a number, of all its contacts, latest first. */
export function FoundEventsDialog({ stages, about, actions, onClose }: FoundEventsDialogProps) {
  useFocusBack()
  const [page, setPage] = useState(1)
  const events = useEvents(stages, page)
  const total = useQuery({
    queryKey: ['contacts', 'event count', stages],
    queryFn: ({ signal }) => countRows(stages, signal),
  })
  const problem = events.error ?? total.error
  return (
    <Modal opened onClose={onClose} title="Events" size="xl" centered>
      <Text size="sm" c="dimmed" mb="sm" style={{ overflowWrap: 'anywhere' }}>
        {about}
      </Text>
      {problem ? (
        <Alert color="red" role="alert">
          {messageOf(problem)}
        </Alert>
      ) : (
        <EventsTable
          before={[{ key: contactKey, title: 'Contact', render: (event) => <ContactLink event={event} /> }]}
          events={events.data}
          total={total.data}
          page={page}
          onPageChange={setPage}
          isStale={events.isPlaceholderData}
        />
      )}
      <Group justify="space-between" mt="md">
        <Text size="sm" c="dimmed">
          <WithZone hasDates>{total.data === undefined ? 'Counting …' : formatCount(total.data, 'event')}</WithZone>
        </Text>
        <Group gap="xs">
          {actions}
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Group>
    </Modal>
  )
}

/** Key for the contact of an event, next to the event's own values. */
const contactKey = 'contact'

const useEvents = (stages: Pipeline, page: number) =>
  useQuery({
    queryKey: ['contacts', 'events', stages, page],
    queryFn: async ({ signal }) => {
      const sort = { field: 'events.event_date', direction: 'desc' as const }
      return (await fetchRows({ stages, sort, page, pageSize: eventsPageSize }, signal)).map(eventOf)
    },
    placeholderData: keepPreviousData,
  })

const prefix = 'events.'

function eventOf(row: Offer): Event {
  const entries = Object.entries(row)
  const own = entries
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => [name.slice(prefix.length), value])
  const contact = Object.fromEntries(entries.filter(([name]) => !name.startsWith(prefix)))
  return { ...Object.fromEntries(own), [contactKey]: contact }
}

function ContactLink({ event }: { event: Event }) {
  const fields = useFields()
  const contact = event[contactKey] as Offer
  return (
    <Anchor component={Link} to={paths.contact(String(contact._id))} size="sm">
      {contactLabel(contact, fields.data ?? [])}
    </Anchor>
  )
}
