import type { Stages } from '@portico/contract/filter'
import { NewSavedFilter } from '@portico/contract/saved-filters'
import { schemaResolver, useForm } from '@mantine/form'
import { Switch, Text, TextInput } from '@mantine/core'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { useAccount } from '#lib/session/session.ts'
import { focusFirstProblem } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { SubmitDialog } from '#ui/dialog/submit-dialog.tsx'
import { useSaveSearch } from './results-mutations.ts'

type SaveSearchDialogProps = { stages: Stages; sentence: string; onClose: () => void }

/** Keeps a search as a predefined filter, for searches, exports and schedules to come. */
export function SaveSearchDialog({ stages, sentence, onClose }: SaveSearchDialogProps) {
  const account = useAccount()
  const save = useSaveSearch()
  const form = useForm({
    initialValues: { name: '', showInSubaccounts: false },
    validate: schemaResolver(NewSavedFilter.omit({ aggregateQuery: true }), { sync: true }),
    validateInputOnChange: true,
  })
  const submit = form.onSubmit(
    (values) =>
      save.mutate(
        { ...values, aggregateQuery: JSON.stringify(stages) },
        {
          onSuccess: ({ name }) => {
            notifyDone(`'${name}' was saved.`)
            onClose()
          },
          onError: (error) => {
            if (isApiError(error, 'name_taken')) form.setFieldError('name', 'Value is duplicate!')
          },
        },
      ),
    focusFirstProblem,
  )
  const isTaken = isApiError(save.error, 'name_taken')
  return (
    <SubmitDialog
      title="Save as a Predefined Filter"
      width={460}
      submitLabel="Save"
      isDirty={form.isDirty()}
      isBusy={save.isPending}
      problem={save.error && !isTaken ? messageOf(save.error) : null}
      onSubmit={submit}
      onClose={onClose}
    >
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {sentence}
      </Text>
      <TextInput label="Name" withAsterisk maxLength={100} data-autofocus {...form.getInputProps('name')} />
      <Switch
        label="Show in sub-accounts"
        description={`Sub-accounts of ${account.name} can use it too.`}
        {...form.getInputProps('showInSubaccounts', { type: 'checkbox' })}
      />
    </SubmitDialog>
  )
}
