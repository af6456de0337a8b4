import type { Field } from '@portico/contract/contacts'
import { foldName } from '@portico/domain/names'
import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { paths } from '#lib/paths.ts'
import { useSubmit } from '#lib/submit.ts'
import { focusFirstProblem } from '#ui/dialog/form-dialog.tsx'
import { SubmitDialog } from '#ui/dialog/submit-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { useAddContact } from './contact-edits-queries.ts'
import { notANumber, readText, type Value } from './edited-value.ts'
import { ValueInput } from './value-input.tsx'

/** Others are found by name. */
const shownAtOnce = 25

/** Adds a contact from values of its fields, and opens its page. */
export function AddContactDialog({ fields, onClose }: { fields: readonly Field[]; onClose: () => void }) {
  const navigate = useNavigate()
  const [texts, setTexts] = useState<Record<string, string>>({})
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [wanted, setWanted] = useState('')
  const setFieldError = (field: string, message: string) => setErrors((known) => ({ ...known, [field]: message }))
  const { submit, problem, setProblem, isBusy } = useSubmit({ values: texts, setFieldError }, useAddContact(), {
    findField: (asked) => fields.find(({ name }) => name === asked)?.name ?? null,
    done: ({ _id }) => {
      notifyDone('The contact was added.')
      void navigate(paths.contact(_id))
    },
  })
  const filled = fields.filter(({ name }) => (texts[name] ?? '').trim() !== '')

  function send(): void {
    const read = filled.map(({ name, type }) => [name, readText(texts[name] ?? '', type)] as const)
    const invalid = read.filter(([, value]) => value === undefined)
    setErrors(Object.fromEntries(invalid.map(([name]) => [name, notANumber])))
    if (invalid.length > 0) return focusFirstProblem()
    if (read.length === 0) return setProblem('Enter at least one value.')
    // No value is undefined at this point.
    submit(Object.fromEntries(read) as Record<string, Value>)
  }

  const isLong = fields.length > shownAtOnce
  const found = fields.filter(({ name }) => foldName(name).includes(foldName(wanted)))
  const others = filled.filter((field) => !found.slice(0, shownAtOnce).includes(field))
  const shown = [...others, ...found.slice(0, shownAtOnce)]
  return (
    <SubmitDialog
      title="Add Contact"
      width={520}
      submitLabel="Add"
      isDirty={filled.length > 0}
      isBusy={isBusy}
      problem={problem}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
      onClose={onClose}
    >
      {isLong && (
        <TextInput
          label="Find a field"
          placeholder="Name of a field"
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
        />
      )}
      {shown.map((field, at) => (
        <ValueInput
          key={field.name}
          field={field}
          label={field.name}
          hasFocus={at === 0 && !isLong}
          text={texts[field.name] ?? ''}
          error={errors[field.name]}
          onChange={(text) => {
            setTexts((known) => ({ ...known, [field.name]: text }))
            setErrors(({ [field.name]: _mended, ...rest }) => rest)
          }}
        />
      ))}
      {isLong && shown.length < fields.length && (
        <Text size="xs" c="dimmed">
          {`${fields.length - shown.length} more fields are found by their name.`}
        </Text>
      )}
    </SubmitDialog>
  )
}
