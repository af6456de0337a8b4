import type { Field } from '@portico/contract/contacts'
import { type Export, isForSpreadsheets } from '@portico/contract/exports'
import { messages } from '@portico/contract/messages'
import { foldName } from '@portico/domain/names'
import { schemaResolver, useForm, type UseFormReturnType } from '@mantine/form'
import { Alert, Button, Group, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import { useMemo, useState } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import IconCalendarEvent from '#icons/IconCalendarEvent'
import { isApiError } from '#lib/api/api-error.ts'
import { useSubmit } from '#lib/submit.ts'
import { FilterDialog, type FilterTab } from '#domain/filters'
import { delimiterOptions, FieldChooser, FileColumns, isEventField, useExportableNames } from '#domain/fields'
import { useScheduling } from '#domain/scheduler'
import { DialogForm, focusFirstProblem, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import { ExportFilter } from './export-filter.tsx'
import { type ExportedRows, useExportedRows } from './exported-rows.ts'
import { ExportNotifications } from './export-notifications.tsx'
import { useCreateExport } from './exports-queries.ts'
import { initialValues, newExportSchema, type NewExportValues, toNewExport } from './new-export-rules.ts'
import { NotificationsDialog } from './notifications-dialog.tsx'
import { ScheduleExport } from './schedule-export.tsx'

type NewExportForm = UseFormReturnType<NewExportValues>

type NewExportDialogProps = {
  fields: Field[]
  /** The exports on the page behind the dialog, whose names a new one must not take. */
  shown: Export[]
  onClose: () => void
}

/** A separate dialog, outside the form: its events do not reach the form. */
type Part = 'filter' | 'notifications' | 'schedule'

/** Tabs for selecting the exported contacts, and their groups. */
const tabs: FilterTab[] = ['standard', 'behavioral', 'bylocation', 'groupby', 'predefined', 'fulltext']
const maxConditions = 4

/** Creates an export: its fields and their order, filter and notifications. */
export function NewExportDialog({ fields, shown, onClose }: NewExportDialogProps) {
  const { form, refuseName } = useNewExportForm(fields, shown)
  const rows = useExportedRows(form.values.filter, form.values.exportFields)
  const [part, setPart] = useState<Part | null>(null)
  const [isFilterRefused, setFilterRefused] = useState(false)
  const { submit, problem, setProblem, isBusy } = useSubmit(form, useCreateExport(), {
    nameField: refuseName,
    findField: (field) => shownFields.find((shown) => shown === rootOf(field)) ?? null,
    done: ({ name }) => {
      notifyDone(`'${name}' was submitted.`)
      onClose()
    },
    refused: (rest, error) => {
      setFilterRefused(isApiError(error, 'invalid_filter'))
      if (rest === null) focusFirstProblem()
    },
  })
  const { whyNotSchedule } = useScheduling()

  /** Whether it can be submitted; if not, shows its problems. */
  function isRight(): boolean {
    setProblem(null)
    // The schema is validated synchronously.
    const { errors } = form.validate() as { errors: Record<string, unknown> }
    // For groups, no fields are chosen.
    const wrong = Object.keys(errors).filter((name) => name !== 'exportFields' || rows.columns === null)
    if (wrong.length > 0) focusFirstProblem()
    return wrong.length === 0
  }

  function onSubmit(): void {
    if (!isRight()) return
    submit(toNewExport(form.values, rows.columns))
  }

  const { filter, notifications } = form.values
  return (
    <>
      <FormDialog
        title="New Export"
        width={820}
        // Escape closes only the topmost dialog.
        guard={{ isDirty: form.isDirty() || part !== null, isBusy }}
        onClose={onClose}
      >
        <DialogForm
          onSubmit={onSubmit}
          footer={
            <>
              {problem !== null && (
                <Alert
                  color="red"
                  icon={<IconAlertTriangle size={18} />}
                  role="alert"
                  mb="sm"
                  title={isFilterRefused ? 'The filter was refused' : 'Something went wrong!'}
                >
                  {problem}
                </Alert>
              )}
              <Group justify="flex-end" gap="xs">
                <Button variant="default" onClick={onClose} disabled={isBusy}>
                  Cancel
                </Button>
                <ReasonedButton
                  label="Schedule"
                  Icon={IconCalendarEvent}
                  reason={whyNotSchedule}
                  onClick={() => isRight() && setPart('schedule')}
                />
                <Button type="submit" loading={isBusy}>
                  Submit
                </Button>
              </Group>
            </>
          }
        >
          <Stack gap="md">
            <FileFields form={form} fields={fields} rows={rows} />
            <ExportFilter filter={filter} rows={rows} onEdit={() => setPart('filter')} />
            <ExportNotifications rows={notifications} onEdit={() => setPart('notifications')} />
          </Stack>
        </DialogForm>
      </FormDialog>
      <PartDialog form={form} fields={fields} rows={rows} part={part} onPart={setPart} onClose={onClose} />
    </>
  )
}

type PartDialogProps = {
  form: NewExportForm
  fields: Field[]
  rows: ExportedRows
  part: Part | null
  onPart: (part: Part | null) => void
  onClose: () => void
}

/** The dialog on top of the form. */
function PartDialog({ form, fields, rows, part, onPart, onClose }: PartDialogProps) {
  return (
    <>
      {part === 'schedule' && (
        <ScheduleExport
          body={toNewExport(form.values, rows.columns)}
          onScheduled={onClose}
          onClose={() => onPart(null)}
        />
      )}
      {part === 'filter' && (
        <FilterDialog
          title="Filter"
          fields={fields}
          tabs={tabs}
          maxConditions={maxConditions}
          value={form.values.filter}
          onApply={(applied) => {
            form.setFieldValue('filter', applied)
            onPart(null)
          }}
          onClose={() => onPart(null)}
        />
      )}
      {part === 'notifications' && (
        <NotificationsDialog
          rows={form.values.notifications}
          onSave={(saved) => {
            form.setFieldValue('notifications', saved)
            onPart(null)
          }}
          onClose={() => onPart(null)}
        />
      )}
    </>
  )
}

/** The server names an entry of a list as `exportFields.0`. */
const rootOf = (field: string): string => field.split('.')[0] ?? field

const shownFields = ['name', 'delimiter', 'exportFields'] as const

/** Name, format and columns of the file. */
function FileFields({ form, fields, rows }: { form: NewExportForm; fields: Field[]; rows: ExportedRows }) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
        <TextInput label="Export Name" withAsterisk maxLength={100} data-autofocus {...form.getInputProps('name')} />
        <Select
          label="File Delimiter"
          data={delimiterOptions}
          allowDeselect={false}
          {...form.getInputProps('delimiter')}
        />
      </SimpleGrid>
      {rows.columns ? <FileColumns columns={rows.columns} /> : <ChosenFields form={form} fields={fields} />}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
        <TextInput label="PGP Public Key" description="Not available" disabled />
        <Switch
          label="Zip"
          aria-label="Zip"
          description="One file in a .zip archive."
          mt={{ base: 0, sm: 22 }}
          {...form.getInputProps('shouldZip', { type: 'checkbox' })}
        />
        {form.values.delimiter !== 'xlsx' && (
          <Switch
            label="BOM for Excel"
            aria-label="BOM for Excel"
            description="Starts the file with a byte order mark, so that Excel shows all letters correctly."
            {...form.getInputProps('byteOrderMark', { type: 'checkbox' })}
          />
        )}
      </SimpleGrid>
    </>
  )
}

function ChosenFields({ form, fields }: { form: NewExportForm; fields: Field[] }) {
  const { exportFields } = form.values
  return (
    <FieldChooser
      options={useExportableNames(fields)}
      value={exportFields}
      onChange={(chosen) => form.setFieldValue('exportFields', chosen)}
      error={form.errors['exportFields']}
      hasEvents={exportFields.some(isEventField)}
    />
  )
}

/** The form of the dialog: validated while typing, against the names it must not take. */
function useNewExportForm(fields: Field[], shown: Export[]) {
  // Names that the server refused, which belong to exports on other pages of the list.
  const [refusedNames, setRefusedNames] = useState<string[]>([])
  const validate = useMemo(() => {
    const taken = new Set([...shown.map(({ name }) => name), ...refusedNames].map(foldName))
    return schemaResolver(newExportSchema(taken), { sync: true })
  }, [shown, refusedNames])
  const form = useForm<NewExportValues>({
    initialValues: initialValues(fields),
    validate,
    validateInputOnChange: true,
    onValuesChange: ({ delimiter }, before) => {
      if (delimiter !== before.delimiter) form.setFieldValue('byteOrderMark', isForSpreadsheets(delimiter))
    },
  })
  return {
    form,
    /** An export of this name exists on the server. */
    refuseName: () => {
      setRefusedNames((names) => [...names, form.values.name])
      form.setFieldError('name', messages.duplicate)
    },
  }
}
