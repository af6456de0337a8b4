import type { Field, Offer } from '@portico/contract/contacts'
import { Button, Group, Loader } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, useLocation } from 'react-router'
import IconBolt from '#icons/IconBolt'
import IconUser from '#icons/IconUser'
import { messageOf } from '#lib/api/api-error.ts'
import { formatNumber } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { definitionsOf, eventsOf, hasDates } from './contact-fields.ts'
import { useContact } from './contacts-queries.ts'
import { EventsDialog } from '#domain/results'
import { zoneNote } from '#domain/charts'
import css from './contacts-page.module.css'

/** The expanded row of a contact: all fields, and links to its events and page. */
export function ContactDetails({ id, fields }: { id: string; fields: readonly Field[] }) {
  const contact = useContact(id)
  if (contact.isError) {
    return <FailureState message={messageOf(contact.error)} onRetry={() => void contact.refetch()} />
  }
  if (!contact.data) return <Loader size={18} aria-label="Loading the contact" />
  return <Details offer={contact.data} fields={fields} />
}

function Details({ offer, fields }: { offer: Offer; fields: readonly Field[] }) {
  const [isOpen, { open, close }] = useDisclosure()
  const { search } = useLocation()
  const items = definitionsOf(offer, fields)
  const events = eventsOf(offer)
  const note = hasDates(offer, fields) && zoneNote()
  return (
    <>
      <div className={css['detailsHead']}>
        <span className={css['count']}>
          # of Fields <b>{formatNumber(items.length)}</b>
          {note && ` · ${note}`}
        </span>
        <Group gap="xs">
          {events && (
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<IconBolt size={14} aria-hidden />}
              onClick={open}
              disabled={events.length === 0}
            >
              {`Events (${formatNumber(events.length)})`}
            </Button>
          )}
          <Button
            component={Link}
            to={paths.contact(offer._id)}
            state={{ search }}
            variant="default"
            size="compact-sm"
            leftSection={<IconUser size={14} aria-hidden />}
          >
            Contact page
          </Button>
        </Group>
      </div>
      <DefinitionList columns={3} items={items} />
      {events && <EventsDialog isOpen={isOpen} onClose={close} events={events} />}
    </>
  )
}
