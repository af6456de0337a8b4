import type { Field, Offer } from '@portico/contract/contacts'
import { Button, Loader } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import IconBolt from '#icons/IconBolt'
import { messageOf } from '#lib/api-error.ts'
import { formatNumber } from '#lib/formats.ts'
import { type Definition, DefinitionList } from '#ui/definition-list.tsx'
import { FailureState } from '#ui/failure-state.tsx'
import { useContact } from './contacts-queries.ts'
import { EventsDialog } from './events-dialog.tsx'
import { formatValue } from './field-value.ts'
import css from './contacts-page.module.css'

/** What a contact's row opens to: all its fields, and the way to its events. */
export function ContactDetails({ id, fields }: { id: string; fields: Field[] }) {
  const contact = useContact(id)
  const [isOpen, { open, close }] = useDisclosure()
  if (contact.isError) {
    return <FailureState message={messageOf(contact.error)} onRetry={() => void contact.refetch()} />
  }
  if (!contact.data) return <Loader size={18} aria-label="Loading the contact" />

  const items = definitionsOf(contact.data, fields)
  const events = eventsOf(contact.data)
  return (
    <>
      <div className={css['detailsHead']}>
        <span className={css['count']}>
          # of Fields <b>{formatNumber(items.length)}</b>
        </span>
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
      </div>
      <DefinitionList columns={3} items={items} />
      {events && <EventsDialog isOpen={isOpen} onClose={close} events={events} />}
    </>
  )
}

/** The account's fields in their order, then what the portal itself knows of the contact. */
function definitionsOf(offer: Offer, fields: Field[]): Definition[] {
  const types = new Map(fields.map(({ name, type }) => [name, type]))
  const own = fields.map(({ name }) => name).filter((name) => name in offer)
  const internal = Object.keys(offer).filter((name) => !types.has(name) && name !== 'events')
  return [...own, ...internal].map((name) => ({ term: name, value: formatValue(offer[name], types.get(name)) }))
}

/** The contract leaves a contact's fields open; events, where they come, are a list of records. */
function eventsOf(offer: Offer): Record<string, unknown>[] | null {
  const { events } = offer
  return Array.isArray(events) ? (events as Record<string, unknown>[]) : null
}
