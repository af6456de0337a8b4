import type { ChangedValue } from '@portico/contract/contact-edits'
import type { Field } from '@portico/contract/contacts'
import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useFocusTrap } from '@mantine/hooks'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { Link } from 'react-router'
import { formatValue } from '#domain/charts'
import { formatDate } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { accountTimeZone } from '#lib/session/session.ts'
import { useSubmit } from '#lib/submit.ts'
import { useTypedInput } from '#ui/form/typed-input.ts'
import { conflictOf, holderOf, useEditContact } from './contact-edits-queries.ts'
import { notANumber, readText, textOf, type Value } from './edited-value.ts'
import { ValueInput } from './value-input.tsx'

type FieldEditorProps = {
  contact: string
  field: Field
  /** The value shown. */
  value: Value
  /** Hears whether closing would lose input. */
  onTyped?: (isTyped: boolean) => void
  onClose: () => void
}

/**
 * Edits the value of one field in place: Enter saves, Escape cancels. A value that has changed meanwhile is shown next
 * to the typed one.
 */
export function FieldEditor({ contact, field, value, onTyped, onClose }: FieldEditorProps) {
  const { name, type } = field
  // The contact is read again while the input is open.
  const [from, setFrom] = useState(value)
  const [text, setText] = useState(textOf(value, type))
  const [refused, setRefused] = useState<Error | null>(null)
  const [invalid, setInvalid] = useState<string | null>(null)
  const focus = useFocusTrap()
  const edit = useEditContact(contact)
  const form = { values: { [name]: text }, setFieldError: (_field: string, message: string) => setInvalid(message) }
  const { submit, problem, isBusy } = useSubmit(form, edit, {
    findField: (asked) => (asked === name ? name : null),
    done: onClose,
    refused: (_problem, error) => setRefused(error),
  })
  const isTyped = text !== textOf(from, type)
  useTypedInput(isTyped)
  useEffect(() => onTyped?.(isTyped), [isTyped, onTyped])
  const conflict = conflictOf(refused)

  function save(over: Value): void {
    const to = readText(text, type)
    if (to === undefined) return setInvalid(notANumber)
    // An untouched moment keeps its fractions of a second.
    if (over === from && !isTyped) return onClose()
    setRefused(null)
    setInvalid(null)
    submit({ field: name, from: over, to })
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.stopPropagation()
      onClose()
    }
    if (event.key !== 'Enter' || event.target instanceof HTMLButtonElement) return
    if (event.target instanceof HTMLTextAreaElement && event.shiftKey) return
    event.preventDefault()
    if (!isBusy) save(from)
  }

  return (
    <Stack gap={6} ref={focus} onKeyDown={onKeyDown}>
      <ValueInput
        field={field}
        label={name}
        isLabelHidden
        hasFocus
        text={text}
        error={invalid ?? (conflict === null && problem !== null && <Problem text={problem} refused={refused} />)}
        onChange={(typed) => {
          setText(typed)
          setInvalid(null)
        }}
      />
      {conflict ? (
        <Conflict
          field={field}
          conflict={conflict}
          isBusy={isBusy}
          onKeep={onClose}
          onSave={() => {
            const { current } = conflict
            setFrom(current)
            save(current)
          }}
        />
      ) : (
        <Group gap={6}>
          <Button size="compact-xs" loading={isBusy} onClick={() => save(from)}>
            Save
          </Button>
          <Button size="compact-xs" variant="default" onClick={onClose} disabled={isBusy}>
            Cancel
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** Why the edit was refused, with the contact that has the same key. */
function Problem({ text, refused }: { text: string; refused: Error | null }) {
  const holder = holderOf(refused)
  if (holder === null) return text
  return (
    <>
      {text}{' '}
      <Anchor component={Link} size="xs" to={paths.contact(holder)}>
        Show that contact
      </Anchor>
    </>
  )
}

type ConflictProps = {
  field: Field
  conflict: ChangedValue
  isBusy: boolean
  onKeep: () => void
  onSave: () => void
}

function Conflict({ field, conflict, isBusy, onKeep, onSave }: ConflictProps) {
  const { current, changedBy, changedAt } = conflict
  const value = formatValue(current, field.type, field.format)
  const by = changedBy ? ` by ${changedBy}` : ''
  const at = changedAt ? ` on ${formatDate(changedAt, accountTimeZone())}` : ''
  // The right to read the field may have ended since.
  if (current === undefined) return <Unread onClose={onKeep} />
  return (
    <Stack gap={6} role="alert">
      <Text size="xs" c="var(--mantine-color-error)">
        {value === '' ? 'The value was removed' : `The value was changed to “${value}”`}
        {`${by}${at}. Yours is not saved.`}
      </Text>
      <Group gap={6}>
        <Button size="compact-xs" loading={isBusy} onClick={onSave}>
          Save mine
        </Button>
        <Button size="compact-xs" variant="default" onClick={onKeep} disabled={isBusy}>
          Keep theirs
        </Button>
      </Group>
    </Stack>
  )
}

/** A value that the user may not read is not overwritten. */
function Unread({ onClose }: { onClose: () => void }) {
  return (
    <Stack gap={6} role="alert">
      <Text size="xs" c="var(--mantine-color-error)">
        The value was changed, and you may not see it any more. Yours is not saved.
      </Text>
      <Group gap={6}>
        <Button size="compact-xs" variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
    </Stack>
  )
}
