import type { Field } from '@portico/contract/contacts'
import type { IndexDetails } from '@portico/contract/indexes'
import { Select, SimpleGrid, Switch, Text, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { isApiError } from '#lib/api/api-error.ts'
import { formatCount, formatDuration, formatFileSize } from '#lib/formats.ts'
import { useSubmit } from '#lib/submit.ts'
import { focusFirstProblem } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { SubmitDialog } from '#ui/dialog/submit-dialog.tsx'
import { useCreateIndex, useIndexEstimate } from './indexes-queries.ts'
import {
  firstFields,
  initialValues,
  needsSecond,
  type NewIndexValues,
  problemsOf,
  secondFields,
  shownName,
  suggestedName,
  toNewIndex,
} from './new-index-rules.ts'

type NewIndexDialogProps = { fields: readonly Field[]; indexes: readonly IndexDetails[]; onClose: () => void }

const orders = [
  { value: '1', label: 'Ascending (1)' },
  { value: '-1', label: 'Descending (-1)' },
]

/** Creates an index of one or two fields. */
export function NewIndexDialog({ fields, indexes, onClose }: NewIndexDialogProps) {
  const form = useForm({
    initialValues,
    validate: (values) => problemsOf(values, indexes),
    validateInputOnChange: true,
    // The name follows the fields until the user changes it.
    onValuesChange: (values, before) => {
      const isSuggested = values.name === before.name && before.name === suggestedName(before)
      if (isSuggested && values.name !== suggestedName(values)) form.setFieldValue('name', suggestedName(values))
    },
  })
  const { submit, problem, isBusy } = useSubmit(form, useCreateIndex(), {
    nameField: 'name',
    done: ({ name }) => {
      notifyDone(`'${shownName(name)}' index is being created...`)
      onClose()
    },
  })
  return (
    <SubmitDialog
      title="Create a New Index"
      width={560}
      submitLabel="Create"
      isDirty={form.isDirty()}
      isBusy={isBusy}
      problem={problem}
      onSubmit={form.onSubmit((values) => submit(toNewIndex(values)), focusFirstProblem)}
      onClose={onClose}
    >
      <IndexFields form={form} names={fields.map(({ name }) => name)} indexes={indexes} />
      <Switch
        label="Is Unique"
        description="No two contacts may have the same value. It cannot be built where some have."
        {...form.getInputProps('unique', { type: 'checkbox' })}
      />
      <TextInput label="Index Name" withAsterisk {...form.getInputProps('name')} />
      <Estimate values={form.values} />
    </SubmitDialog>
  )
}

type IndexFieldsProps = {
  form: UseFormReturnType<NewIndexValues>
  names: string[]
  indexes: readonly IndexDetails[]
}

function IndexFields({ form, names, indexes }: IndexFieldsProps) {
  const { fieldName1, fieldName2 } = form.values
  const options = { searchable: true, limit: 100, nothingFoundMessage: 'No matching fields found.' }
  const chooseFirst = (first: string | null): void => {
    form.setFieldValue('fieldName1', first)
    // The choice of second fields depends on it.
    if (fieldName2 !== null && !secondFields(names, indexes, first).includes(fieldName2)) {
      form.setFieldValue('fieldName2', null)
    }
  }
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
      <Select
        label="Field Name 1"
        withAsterisk
        data-autofocus
        data={firstFields(names, indexes)}
        {...options}
        {...form.getInputProps('fieldName1')}
        onChange={chooseFirst}
      />
      <Select label="Sort Order 1" data={orders} allowDeselect={false} {...form.getInputProps('sortOrder1')} />
      <Select
        label="Field Name 2"
        withAsterisk={needsSecond(indexes, fieldName1)}
        clearable
        disabled={fieldName1 === null}
        data={secondFields(names, indexes, fieldName1)}
        {...options}
        {...form.getInputProps('fieldName2')}
      />
      <Select
        label="Sort Order 2"
        data={orders}
        allowDeselect={false}
        disabled={fieldName2 === null}
        {...form.getInputProps('sortOrder2')}
      />
    </SimpleGrid>
  )
}

/** Build time and size of the index, or why the caller gets none. */
function Estimate({ values: { fieldName1, fieldName2 } }: { values: NewIndexValues }) {
  const fields = fieldName1 === null ? null : { field: fieldName1, ...(fieldName2 !== null && { field2: fieldName2 }) }
  const { data, error } = useIndexEstimate(fields)
  const refusal = isApiError(error, 'not_allowed') ? error.message : null
  if (!data) return refusal !== null && <Explanation>{refusal}</Explanation>
  const time = formatDuration(Math.max(1, data.buildSeconds) * 1000)
  return (
    <Explanation>
      {`Takes about ${time} to build and ${formatFileSize(data.sizeBytes)} for ${formatCount(data.rows, 'contact')}.`}
    </Explanation>
  )
}

const Explanation = ({ children }: { children: string }) => (
  <Text size="xs" c="dimmed">
    {children}
  </Text>
)
