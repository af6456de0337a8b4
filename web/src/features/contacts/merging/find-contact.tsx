import type { Field, Offer } from '@portico/contract/contacts'
import { Button, Group, Loader, Select, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { contactLabel } from '#domain/fields'
import { messageOf } from '#lib/api/api-error.ts'
import { DialogForm } from '#ui/dialog/form-dialog.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { conditionOf, idName, mostFound, purlName, useFoundContacts, type Wanted } from './merge-queries.ts'
import css from './merging.module.css'

type FindContactProps = {
  contact: Offer
  fields: readonly Field[]
  onChosen: (id: string) => void
  onClose: () => void
}

/** Dates are rarely known by heart, and yes or no finds everyone. */
const isSearchable = ({ type }: Field): boolean => type === 'string' || type === 'number'

const isEmail = ({ name }: Field): boolean => /mail/i.test(name)

/** Finds the other contact by its PURL, its id, or the value of a field such as an email address. */
export function FindContact({ contact, fields, onChosen, onClose }: FindContactProps) {
  const searchable = fields.filter(isSearchable)
  const [wanted, setWanted] = useState<Wanted>({ by: searchable.find(isEmail)?.name ?? purlName, text: '' })
  const [sent, setSent] = useState<Wanted | null>(null)
  const condition = sent && conditionOf(sent, fields)
  const found = useFoundContacts(condition, contact._id)
  const options = [
    { value: purlName, label: 'PURL' },
    { value: idName, label: 'Contact ID' },
    ...searchable.map(({ name }) => ({ value: name, label: name })),
  ]
  return (
    <DialogForm
      onSubmit={() => setSent(wanted)}
      footer={
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      }
    >
      <Stack gap="sm">
        <Text size="sm">
          {`Which contact is the same person as ${contactLabel(contact, fields)}? It will be merged into this one.`}
        </Text>
        <div className={css['find']}>
          <Select
            label="Find by"
            data={options}
            value={wanted.by}
            onChange={(by) => by !== null && setWanted({ ...wanted, by })}
            allowDeselect={false}
            searchable
          />
          <TextInput
            label="Value"
            data-autofocus
            autoComplete="off"
            value={wanted.text}
            onChange={(event) => setWanted({ ...wanted, text: event.currentTarget.value })}
          />
          <Button type="submit" variant="default" loading={found.isFetching}>
            Find
          </Button>
        </div>
        {found.isError && <FailureState message={messageOf(found.error)} onRetry={() => void found.refetch()} />}
        {sent && <Found contacts={condition ? found.data : []} fields={fields} onChosen={onChosen} />}
      </Stack>
    </DialogForm>
  )
}

type FoundProps = { contacts: Offer[] | undefined; fields: readonly Field[]; onChosen: (id: string) => void }

function Found({ contacts, fields, onChosen }: FoundProps) {
  if (!contacts) return <Loader size={18} aria-label="Finding contacts" />
  if (contacts.length === 0) {
    return (
      <Text component="output" size="sm" c="dimmed">
        No other contact has this value.
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
              aria-label={`Compare with contact ${contact._id}`}
              onClick={() => onChosen(contact._id)}
            >
              Compare
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
