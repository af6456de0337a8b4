import type { Import } from '@portico/contract/imports'
import { messages } from '@portico/contract/messages'
import { Autocomplete, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useEffect, useMemo } from 'react'
import { type DialogGuard, focusFirstProblem } from '#ui/dialog/form-dialog.tsx'
import {
  type EventForm,
  eventImportSchema,
  type EventImportValues,
  eventMappingProblems,
  guessKey,
  initialEventValues,
  ownKeys,
  toNewEventImport,
} from './event-import-rules.ts'
import { EventMapping } from './event-mapping.tsx'
import { FileField } from '../new-import/file-field.tsx'
import { useFormSubmission } from '../new-import/form-submission.ts'
import { missingColumns } from '../new-import/file-header.ts'
import { type ImportFile, readingOf, useImportFile } from '../new-import/import-file.ts'
import { EventHeader, useEventHeader } from './event-header.tsx'
import { ImportFormFrame } from '../new-import/import-form-frame.tsx'
import { BatchSizeSelect, EmailsInput, SheetOrDelimiter } from '../new-import/import-inputs.tsx'
import { useKnownFields } from '../new-import/known-fields.ts'
import { useTakenNames } from '../new-import/taken-names.ts'

type EventImportFormProps = {
  shown: Import[]
  onGuardChange: (guard: DialogGuard) => void
  onClose: () => void
}

/** Imports a file of events: the file, the contacts they belong to, and the targets of its columns. */
export function EventImportForm({ shown, onGuardChange, onClose }: EventImportFormProps) {
  const { form, file, refuseName } = useEventImportForm(shown)
  const sending = useFormSubmission({ form, file, refuseName, reveal: focusFirstProblem, onGuardChange, onClose })
  const { submit, upload, sent, isBusy } = sending
  const found = useEventHeader(form, file, sent)
  const { columns } = found
  const problems = useMemo(() => (columns ? eventMappingProblems(columns, form.values) : null), [columns, form.values])

  function onSubmit(): void {
    const { hasErrors } = form.validate()
    if (!file.file) file.setProblem(messages.required)
    if (hasErrors || !file.file || found.isRefused) return focusFirstProblem()
    // An unclear header must be resolved first.
    if (file.header?.isUnclear && !found.isSent) return void upload(file.file)
    const isMapped = !problems || (problems.missing === null && Object.keys(problems.columns).length === 0)
    if (!isMapped) return focusFirstProblem()
    void submit(file.file, { ...toNewEventImport(form.values, file.file.name, columns), ...readingOf(file) })
  }

  return (
    <ImportFormFrame sending={sending} file={file.file} onImport={onSubmit} onClose={onClose}>
      <Stack gap="md">
        <FileField file={file} isDisabled={isBusy} />
        <EventHeader file={file} {...found} isBusy={isBusy} onSend={() => file.file && void upload(file.file)} />
        <EventFields form={form} file={file} columns={columns} />
        <EventMapping form={form} columns={columns} problems={problems} isPacked={file.file !== null && !columns} />
        <EmailsInput
          about="They receive an email with the figures when the import ends. "
          {...form.getInputProps('notificationEmails')}
        />
      </Stack>
    </ImportFormFrame>
  )
}

/** The form, validated while typing, and the file, whose header suggests the key. */
function useEventImportForm(shown: Import[]) {
  const fields = useKnownFields()
  const { taken, refuse } = useTakenNames(shown)
  const validate = useMemo(() => schemaResolver(eventImportSchema(taken, fields), { sync: true }), [taken, fields])
  const form = useForm<EventImportValues>({
    initialValues: initialEventValues,
    validate,
    validateInputOnChange: true,
  })
  const file = useImportFile(form.values.fileDelimiter)
  const guess = useMemo(() => (file.header ? guessKey(file.header.columns, fields ?? []) : null), [file.header, fields])
  const { setValues } = form
  useEffect(() => {
    // A selected value stays.
    if (guess)
      setValues((now) => (now.keyColumn || now.keyField ? {} : { keyColumn: guess.column, keyField: guess.field }))
  }, [guess, setValues])
  const refuseName = (): void => {
    refuse(form.values.name)
    form.setFieldError('name', messages.duplicate)
  }
  return { form, file, refuseName }
}

function EventFields({ form, file, columns }: { form: EventForm; file: ImportFile; columns: string[] | null }) {
  const fields = useKnownFields()
  const indexed = (fields ?? []).filter(({ isIndexed }) => isIndexed).map(({ name }) => name)
  const others = (fields ?? []).filter(({ isIndexed }) => !isIndexed).map(({ name }) => name)
  const groups = [
    { group: 'Always there', items: ownKeys },
    { group: 'Indexed fields', items: indexed },
    { group: 'Other fields', items: others },
  ].filter(({ items }) => items.length > 0)
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
        <TextInput label="Import Name" withAsterisk maxLength={100} data-autofocus {...form.getInputProps('name')} />
        <SheetOrDelimiter file={file} {...form.getInputProps('fileDelimiter')} />
        <Autocomplete
          label="Key Column"
          withAsterisk
          description={
            missingColumns([form.values.keyColumn], columns) ?? 'The column that identifies the contact of each event.'
          }
          data={[...new Set(columns ?? [])]}
          limit={50}
          {...form.getInputProps('keyColumn')}
        />
        <Autocomplete
          label="Contact Field"
          withAsterisk
          description="The contact field that the column matches exactly."
          data={groups}
          limit={50}
          {...form.getInputProps('keyField')}
        />
        <BatchSizeSelect {...form.getInputProps('processBatchSize')} />
      </SimpleGrid>
      <Switch
        label="Cast Types"
        // The hint would otherwise be part of the accessible name.
        aria-label="Cast Types"
        description="Detects numbers and true or false in custom fields. Otherwise they are text."
        {...form.getInputProps('typeCasting', { type: 'checkbox' })}
      />
    </>
  )
}
