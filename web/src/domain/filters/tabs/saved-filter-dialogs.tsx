import { NewSavedFilter, type SavedFilter, type SavedFilterEntry } from '@portico/contract/saved-filters'
import { Alert, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useState } from 'react'
import { editedForm, OpenedItem, SavedMeanwhile, useEditing } from '#domain/editing'
import { messageOf } from '#lib/api/api-error.ts'
import { useSubmit } from '#lib/submit.ts'
import { DialogButtons } from '#ui/dialog/dialog-buttons.tsx'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { getSavedFilter, useDeleteFilter, useSaveFilter } from '../filter-queries.ts'

/** A query is a JSON list of stages; the server validates the stages themselves. */
const SavedFilterForm = NewSavedFilter.extend({
  aggregateQuery: NewSavedFilter.shape.aggregateQuery.superRefine((text, context) => {
    const problem = queryProblem(text)
    if (problem !== null) context.addIssue({ code: 'custom', message: problem })
  }),
})

function queryProblem(text: string): string | null {
  try {
    return Array.isArray(JSON.parse(text)) ? null : 'Should be an array'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

type SaveFilterDialogProps = {
  /** The filter to change; null for a new one. */
  saved: Pick<SavedFilter, '_id'> | null
  /** For a new filter: the initial query. */
  query: string
  /** Name of the account, whose sub-accounts may see the filter. */
  account: string
  onSaved: (id: string) => void
  onClose: () => void
}

const width = 560

const titleOf = (isEdit: boolean): string => (isEdit ? 'Edit the predefined filter' : 'Add a predefined filter')

/** Saves a filter under a name, or changes a saved one. */
export function SaveFilterDialog({ saved, ...props }: SaveFilterDialogProps) {
  if (!saved) return <FilterForm saved={null} {...props} />
  return (
    <OpenedItem title={titleOf(true)} width={width} read={() => getSavedFilter(saved._id)} onClose={props.onClose}>
      {(fresh) => <FilterForm saved={fresh} {...props} />}
    </OpenedItem>
  )
}

type FilterFormProps = Omit<SaveFilterDialogProps, 'saved'> & { saved: SavedFilter | null }

type FilterValues = { name: string; aggregateQuery: string; showInSubaccounts: boolean }

const valuesOf = ({ name, aggregateQuery, showInSubaccounts }: FilterValues): FilterValues => ({
  name,
  aggregateQuery,
  showInSubaccounts,
})

const labels = { name: 'Name', aggregateQuery: 'Filter', showInSubaccounts: 'Show in sub-accounts' }

function FilterForm({ saved, query, account, onSaved, onClose }: FilterFormProps) {
  const form = useForm({
    initialValues: valuesOf(saved ?? { name: '', aggregateQuery: query, showInSubaccounts: false }),
    validate: schemaResolver(SavedFilterForm, { sync: true }),
    validateInputOnChange: true,
  })
  const editing = useEditing({
    item: saved,
    read: ({ _id }: SavedFilter) => getSavedFilter(_id),
    valuesOf,
    form: editedForm(form),
  })
  const { submit, problem, isBusy } = useSubmit(form, useSaveFilter(editing.save), {
    nameField: 'name',
    fieldsOfCodes: { invalid_filter: 'aggregateQuery' },
    done: ({ _id, name }) => {
      notifyDone(`'${name}' was saved.`)
      onSaved(_id)
      onClose()
    },
  })
  const onSubmit = form.onSubmit(submit)
  return (
    <FormDialog
      title={titleOf(saved !== null)}
      width={width}
      guard={{ isDirty: form.isDirty(), isBusy }}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={onSubmit}
        footer={
          <DialogButtons onCancel={onClose} isBusy={isBusy}>
            {saved ? 'UPDATE' : 'SAVE'}
          </DialogButtons>
        }
      >
        <SavedMeanwhile {...{ editing, labels, isBusy }} onOverwrite={() => onSubmit()} />
        <Stack gap="sm">
          {problem !== null && (
            <Alert color="red" role="alert">
              {problem}
            </Alert>
          )}
          <TextInput label="Name" withAsterisk maxLength={100} data-autofocus {...form.getInputProps('name')} />
          <Textarea
            label="Filter"
            withAsterisk
            rows={10}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            {...form.getInputProps('aggregateQuery')}
          />
          <Switch
            label="Show in sub-accounts"
            description={`Sub-accounts of ${account} can use it too.`}
            {...form.getInputProps('showInSubaccounts', { type: 'checkbox' })}
          />
        </Stack>
      </DialogForm>
    </FormDialog>
  )
}

type DeleteFilterDialogProps = {
  entry: Pick<SavedFilterEntry, '_id' | 'name'>
  /** Says what else will not work then. */
  warning?: string | undefined
  onDeleted: () => void
  onClose: () => void
}

/** Deleting requires typing the name: exports and schedules may use the filter. */
export function DeleteFilterDialog({ entry, warning, onDeleted, onClose }: DeleteFilterDialogProps) {
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const remove = useDeleteFilter()
  const isSame = typed.trim() === entry.name

  function submit(): void {
    if (!isSame) return setProblem("Names didn't match! Please try again.")
    remove.mutate(entry._id, {
      onSuccess: () => {
        notifyDone(`'${entry.name}' was deleted.`)
        onDeleted()
        onClose()
      },
    })
  }

  return (
    <FormDialog
      title="Delete the predefined filter"
      width={440}
      guard={{ isDirty: typed !== '', isBusy: remove.isPending }}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={submit}
        footer={
          <DialogButtons onCancel={onClose} isBusy={remove.isPending} isDangerous>
            DELETE
          </DialogButtons>
        }
      >
        <Stack gap="sm">
          {(problem ?? remove.error) && (
            <Alert color="red" role="alert">
              {problem ?? messageOf(remove.error)}
            </Alert>
          )}
          {warning !== undefined && <Alert color="yellow">{warning}</Alert>}
          <Text size="sm">{`Type '${entry.name}' to delete it.`}</Text>
          <TextInput
            label="Name"
            data-autofocus
            value={typed}
            error={typed !== '' && !isSame ? "Name doesn't match!" : undefined}
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              setProblem(null)
            }}
          />
        </Stack>
      </DialogForm>
    </FormDialog>
  )
}
