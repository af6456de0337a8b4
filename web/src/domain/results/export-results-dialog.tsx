import { contactsApi, type Field } from '@portico/contract/contacts'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { formatPipeline } from '@portico/domain/pipeline/pipeline-json'
import { type ExportDelimiter, NewExport } from '@portico/contract/exports'
import { schemaResolver, useForm } from '@mantine/form'
import { Select, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { delimiterOptions, FieldChooser, FileColumns, isEventField, useExportableNames } from '#domain/fields'
import { formatCount } from '#lib/formats.ts'
import { useMayCall } from '#lib/session/may-call.ts'
import { useSubmit } from '#lib/submit.ts'
import { focusFirstProblem } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { SubmitDialog } from '#ui/dialog/submit-dialog.tsx'
import { countRows, withEventRows } from './fetch-rows.ts'
import { useExportResults } from './results-mutations.ts'

type ExportResultsDialogProps = {
  /** The contacts or their groups, their order, and a description. */
  stages: Pipeline
  sentence: string
  /** Null if unknown. */
  count: number | null
  /** The columns of the groups; null if contacts are exported. */
  columns: string[] | null
  fields: readonly Field[]
  /** The columns of the results, which are the file's unless others are chosen. */
  shown: string[]
  onClose: () => void
}

/** The number of rows of a file with events; null requests nothing. */
const useEventCount = (stages: Pipeline | null) =>
  useQuery({
    queryKey: ['contacts', 'count', stages],
    queryFn: ({ signal }) => countRows(stages ?? [], signal),
    enabled: useMayCall(contactsApi.listOffers) && stages !== null,
  })

/** Exports the contacts of a search, or its groups, to a file. */
export function ExportResultsDialog(props: ExportResultsDialogProps) {
  const { stages, sentence, count, columns, fields, shown, onClose } = props
  const names = useExportableNames(fields)
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
  const aggregateQuery = stages.length > 0 ? { aggregateQuery: formatPipeline(stages) } : {}
  const { submit, problem, isBusy } = useSubmit(form, useExportResults(), {
    nameField: 'name',
    done: ({ name }) => {
      notifyDone(`'${name}' was submitted.`)
      onClose()
    },
  })
  const hasEvents = columns === null && form.values.exportFields.some(isEventField)
  const events = useEventCount(hasEvents ? withEventRows(stages) : null)
  const known = hasEvents ? (events.data ?? null) : count
  const rows = known === null ? null : formatCount(known, columns ? 'group' : hasEvents ? 'event' : 'record')
  return (
    <SubmitDialog
      title="Export These Results"
      width={640}
      submitLabel="Submit"
      isDirty={form.isDirty()}
      isBusy={isBusy}
      problem={problem}
      onSubmit={form.onSubmit((values) => submit({ ...values, ...aggregateQuery }), focusFirstProblem)}
      onClose={onClose}
    >
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {rows === null ? sentence : `${rows}. ${sentence}`}
      </Text>
      <TextInput label="Export Name" withAsterisk maxLength={100} data-autofocus {...form.getInputProps('name')} />
      <Select
        label="File Delimiter"
        data={delimiterOptions}
        allowDeselect={false}
        {...form.getInputProps('delimiter')}
      />
      {columns ? (
        <FileColumns columns={columns} />
      ) : (
        <FieldChooser
          options={names}
          value={form.values.exportFields}
          onChange={(chosen) => form.setFieldValue('exportFields', chosen)}
          error={form.errors['exportFields']}
          hasEvents={hasEvents}
        />
      )}
    </SubmitDialog>
  )
}
