import type { Stages } from '@portico/contract/filter'
import { type ExportDelimiter, NewExport } from '@portico/contract/exports'
import { schemaResolver, useForm } from '@mantine/form'
import { Alert, Select, Stack, Text, TextInput } from '@mantine/core'
import { isApiError, messageOf } from '#lib/api-error.ts'
import { formatCount } from '#lib/formats.ts'
import { DialogButtons } from '#ui/dialog-buttons.tsx'
import { FileColumns } from '#ui/file-columns.tsx'
import { DialogForm, focusFirstProblem, FormDialog } from '#ui/form-dialog.tsx'
import { MultiChooser } from '#ui/multi-chooser.tsx'
import { notifyDone } from '#ui/notify.ts'
import { useExportResults } from './contacts-queries.ts'

type ExportResultsDialogProps = {
  /** Which contacts, or groups of them, and in words. */
  stages: Stages
  sentence: string
  count: number
  /** The columns of the groups; null where contacts are exported. */
  columns: string[] | null
  /** All that a file of contacts can hold. */
  names: string[]
  /** The columns of the results, which the file has unless others are chosen. */
  shown: string[]
  onClose: () => void
}

const delimiters: { value: ExportDelimiter; label: string }[] = [
  { value: 'csv', label: 'Comma (.csv)' },
  { value: 'tab', label: 'Tab (.txt)' },
  { value: 'pipe', label: 'Pipe (.txt)' },
]

/** Writes the contacts of a search, or the groups that it makes, to a file. */
export function ExportResultsDialog(props: ExportResultsDialogProps) {
  const { stages, sentence, count, columns, names, shown, onClose } = props
  const create = useExportResults()
  const initialValues: { name: string; delimiter: ExportDelimiter; exportFields: string[] } = {
    name: '',
    delimiter: 'csv',
    exportFields: columns ?? shown,
  }
  const form = useForm({
    initialValues,
    validate: schemaResolver(NewExport.omit({ aggregateQuery: true }), { sync: true }),
    validateInputOnChange: true,
  })
  const aggregateQuery = stages.length > 0 ? { aggregateQuery: JSON.stringify(stages) } : {}
  const submit = form.onSubmit(
    (values) =>
      create.mutate(
        { ...values, ...aggregateQuery },
        {
          onSuccess: ({ name }) => {
            notifyDone(`'${name}' was submitted.`)
            onClose()
          },
          onError: (error) => {
            if (isApiError(error, 'name_taken')) form.setFieldError('name', 'Value is duplicate!')
          },
        },
      ),
    focusFirstProblem,
  )
  return (
    <FormDialog
      title="Export These Results"
      width={640}
      guard={{ isDirty: form.isDirty(), isBusy: create.isPending }}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={submit}
        footer={
          <DialogButtons onCancel={onClose} isBusy={create.isPending}>
            Submit
          </DialogButtons>
        }
      >
        <Stack gap="sm">
          {create.error && !isApiError(create.error, 'name_taken') && (
            <Alert color="red" role="alert">
              {messageOf(create.error)}
            </Alert>
          )}
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {`${formatCount(count, columns ? 'group' : 'record')}. ${sentence}`}
          </Text>
          <TextInput label="Export Name" withAsterisk maxLength={100} data-autofocus {...form.getInputProps('name')} />
          <Select label="File Delimiter" data={delimiters} allowDeselect={false} {...form.getInputProps('delimiter')} />
          {columns ? (
            <FileColumns columns={columns} />
          ) : (
            <MultiChooser
              label="Fields to export"
              description="They stand in the file in this order."
              options={names}
              value={form.values.exportFields}
              onChange={(chosen) => form.setFieldValue('exportFields', chosen)}
              error={form.errors['exportFields']}
            />
          )}
        </Stack>
      </DialogForm>
    </FormDialog>
  )
}
