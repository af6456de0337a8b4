import type { Import } from '@portico/contract/imports'
import { Autocomplete, Select, SimpleGrid, Stack, Switch, TagsInput, TextInput } from '@mantine/core'
import { schemaResolver, useForm, type UseFormReturnType } from '@mantine/form'
import { useEffect, useLayoutEffect, useMemo, useState } from 'react'
import { useFields } from '#lib/fields.ts'
import { DialogForm, type DialogGuard, focusFirstProblem } from '#ui/form-dialog.tsx'
import { notifyDone } from '#ui/notify.ts'
import {
  eventImportSchema,
  type EventImportValues,
  eventMappingProblems,
  guessKey,
  initialEventValues,
  ownKeys,
  toNewEventImport,
} from './event-import-rules.ts'
import { EventMapping } from './event-mapping.tsx'
import { FileField } from './file-field.tsx'
import { missingColumns } from './file-header.ts'
import { type ImportFile, useImportFile } from './import-file.ts'
import { ImportFooter } from './import-footer.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { batchSizes, delimiterNames, foldName } from './new-import-rules.ts'
import { useImportSubmission } from './submit-import.ts'

type EventImportFormProps = {
  shown: Import[]
  onGuardChange: (guard: DialogGuard) => void
  onClose: () => void
}

/** Brings in a file of events: the file, whose events they are, and what its columns become. */
export function EventImportForm({ shown, onGuardChange, onClose }: EventImportFormProps) {
  const { form, file, refuseName } = useEventImportForm(shown)
  const columns = file.header?.columns ?? null
  const problems = useMemo(() => (columns ? eventMappingProblems(columns, form.values) : null), [columns, form.values])
  const { submission, submit, cancelUpload } = useImportSubmission({
    onSaved: ({ name }) => {
      notifyDone(`'${name}' was saved.`)
      onClose()
    },
    onProblems: (found) => {
      for (const { field, message } of found) {
        if (field === 'filePath') file.setProblem(message)
        else if (field === 'name' && message === 'Value is duplicate!') refuseName()
        else form.setFieldError(field.split('.')[0] ?? field, message)
      }
      focusFirstProblem()
    },
  })
  const isBusy = submission.step === 'uploading' || submission.step === 'saving'
  const isDirty = form.isDirty() || file.file !== null
  // At once: the very next key may be Escape.
  useLayoutEffect(() => onGuardChange({ isDirty, isBusy }), [isDirty, isBusy, onGuardChange])

  function onSubmit(): void {
    const { hasErrors } = form.validate()
    if (!file.file) file.setProblem('Value is required!')
    const isMapped = !problems || (problems.missing === null && Object.keys(problems.columns).length === 0)
    if (hasErrors || !file.file || !isMapped) return focusFirstProblem()
    void submit(file.file, toNewEventImport(form.values, file.file.name, columns))
  }

  return (
    <DialogForm
      onSubmit={onSubmit}
      footer={
        <ImportFooter
          submission={submission}
          file={file.file}
          onCancel={onClose}
          onCancelUpload={cancelUpload}
          isBusy={isBusy}
        />
      }
    >
      <LeaveGuard isActive={isBusy} />
      <fieldset disabled={isBusy} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
        <Stack gap="md">
          <FileField file={file} isDisabled={isBusy} />
          <EventFields form={form} file={file} />
          <EventMapping form={form} columns={columns} problems={problems} isPacked={file.file !== null && !columns} />
          <TagsInput
            label="Notification Emails"
            description="They get an e-mail with the figures when the import has ended. At most 20; press Enter after each."
            maxTags={20}
            {...form.getInputProps('notificationEmails')}
          />
        </Stack>
      </fieldset>
    </DialogForm>
  )
}

export type EventForm = UseFormReturnType<EventImportValues>

/** The form, which is validated while it is typed, and the file, whose header proposes the key. */
function useEventImportForm(shown: Import[]) {
  const fields = useFields()
  // Names that the server refused, which are on other pages of the list.
  const [refusedNames, setRefusedNames] = useState<string[]>([])
  const validate = useMemo(() => {
    const taken = new Set([...shown.map(({ name }) => name), ...refusedNames].map(foldName))
    return schemaResolver(eventImportSchema(taken, fields.data ?? []), { sync: true })
  }, [shown, refusedNames, fields.data])
  const form = useForm<EventImportValues>({
    initialValues: initialEventValues,
    validate,
    validateInputOnChange: true,
  })
  const file = useImportFile(form.values.fileDelimiter)
  const guess = useMemo(
    () => (file.header ? guessKey(file.header.columns, fields.data ?? []) : null),
    [file.header, fields.data],
  )
  const { setValues } = form
  useEffect(() => {
    // What somebody has chosen stays.
    if (guess)
      setValues((now) => (now.keyColumn || now.keyField ? {} : { keyColumn: guess.column, keyField: guess.field }))
  }, [guess, setValues])
  const refuseName = (): void => {
    setRefusedNames((names) => [...names, form.values.name])
    form.setFieldError('name', 'Value is duplicate!')
  }
  return { form, file, refuseName }
}

function EventFields({ form, file }: { form: EventForm; file: ImportFile }) {
  const fields = useFields()
  const columns = file.header?.columns ?? null
  const indexed = (fields.data ?? []).filter(({ isIndexed }) => isIndexed).map(({ name }) => name)
  const others = (fields.data ?? []).filter(({ isIndexed }) => !isIndexed).map(({ name }) => name)
  const groups = [
    { group: 'Always there', items: ownKeys },
    { group: 'Indexed fields', items: indexed },
    { group: 'Other fields', items: others },
  ].filter(({ items }) => items.length > 0)
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
        <TextInput label="Import Name" withAsterisk maxLength={100} data-autofocus {...form.getInputProps('name')} />
        <Select
          label="File Delimiter"
          data={Object.entries(delimiterNames).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          {...form.getInputProps('fileDelimiter')}
        />
        <Autocomplete
          label="Key Column"
          withAsterisk
          description={missingColumns([form.values.keyColumn], columns) ?? 'The column that says whose event a row is.'}
          data={[...new Set(columns ?? [])]}
          limit={50}
          {...form.getInputProps('keyColumn')}
        />
        <Autocomplete
          label="Contact Field"
          withAsterisk
          description="What contacts are found by, exactly as it is written."
          data={groups}
          limit={50}
          {...form.getInputProps('keyField')}
        />
        <Select
          label="Batch Size"
          description="Records that are committed together."
          data={batchSizes.map((size) => ({ value: size, label: `${size} thousand` }))}
          allowDeselect={false}
          {...form.getInputProps('processBatchSize')}
        />
      </SimpleGrid>
      <Switch
        label="Cast Types"
        // The hint would otherwise be part of the name.
        aria-label="Cast Types"
        description="Recognises numbers and true or false in fields of your own. Otherwise they are text."
        {...form.getInputProps('typeCasting', { type: 'checkbox' })}
      />
    </>
  )
}
