import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { formatPipeline } from '@portico/domain/pipeline/pipeline-json'
import { NewSavedFilter } from '@portico/contract/saved-filters'
import { schemaResolver, useForm } from '@mantine/form'
import { Switch, Text, TextInput } from '@mantine/core'
import { useAccount } from '#lib/session/session.ts'
import { useSubmit } from '#lib/submit.ts'
import { focusFirstProblem } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { SubmitDialog } from '#ui/dialog/submit-dialog.tsx'
import { useSaveSearch } from './results-mutations.ts'

type SaveSearchDialogProps = { stages: Pipeline; sentence: string; onClose: () => void }

/** Saves a search as a predefined filter, for later searches, exports and schedules. */
export function SaveSearchDialog({ stages, sentence, onClose }: SaveSearchDialogProps) {
  const account = useAccount()
  const form = useForm({
    initialValues: { name: '', showInSubaccounts: false },
    validate: schemaResolver(NewSavedFilter.omit({ aggregateQuery: true }), { sync: true }),
    validateInputOnChange: true,
  })
  const { submit, problem, isBusy } = useSubmit(form, useSaveSearch(), {
    nameField: 'name',
    done: ({ name }) => {
      notifyDone(`'${name}' was saved.`)
      onClose()
    },
  })
  const aggregateQuery = formatPipeline(stages)
  return (
    <SubmitDialog
      title="Save as a Predefined Filter"
      width={460}
      submitLabel="Save"
      isDirty={form.isDirty()}
      isBusy={isBusy}
      problem={problem}
      onSubmit={form.onSubmit((values) => submit({ ...values, aggregateQuery }), focusFirstProblem)}
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
