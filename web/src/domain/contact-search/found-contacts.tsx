import type { Offer } from '@portico/contract/contacts'
import { Button, Loader, Text } from '@mantine/core'
import { contactLabel } from '#domain/fields'
import { messageOf } from '#lib/api/api-error.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { type ContactSearch, mostFound } from './use-contact-search.ts'
import css from './contact-search.module.css'

type FoundContactsProps = {
  search: ContactSearch
  /** The button of each contact; its name for assistive technology is followed by 'contact' and the id. */
  action: { text: string; name: string }
  /** Shown where no contact has the value. */
  none: string
  onChosen: (id: string) => void
}

/** The contacts that a search found, each with a button; nothing before it was sent. */
export function FoundContacts({ search, action, none, onChosen }: FoundContactsProps) {
  const { found, isSent, condition, fields } = search
  if (found.isError) return <FailureState message={messageOf(found.error)} onRetry={() => void found.refetch()} />
  if (!isSent) return null
  const contacts = condition ? found.data : []
  if (!contacts) return <Loader size={18} aria-label="Finding contacts" />
  if (contacts.length === 0) {
    return (
      <Text component="output" size="sm" c="dimmed">
        {none}
      </Text>
    )
  }
  return (
    <>
      <ul className={css['found']} aria-label="Contacts found">
        {contacts.map((contact) => (
          <li key={contact._id}>
            <span className={css['name']}>
              <b>{contactLabel(contact, fields)}</b>
              <span>{describe(contact)}</span>
            </span>
            <Button
              variant="default"
              size="compact-sm"
              aria-label={`${action.name} contact ${contact._id}`}
              onClick={() => onChosen(contact._id)}
            >
              {action.text}
            </Button>
          </li>
        ))}
      </ul>
      {contacts.length === mostFound && (
        <Text size="xs" c="dimmed">
          {`The first ${mostFound} are shown.`}
        </Text>
      )}
    </>
  )
}

const describe = ({ _id: id, purl }: Offer): string =>
  `Contact ${id}${typeof purl === 'string' ? ` · PURL ${purl}` : ''}`
