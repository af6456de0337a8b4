import { type ApiCredential, NewCredential } from '@portico/contract/identities'
import { Stack, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { z } from 'zod'
import { EditDialog } from '#domain/access'
import { messageOf } from '#lib/api/api-error.ts'
import { startOfDay } from '#lib/local-day.ts'
import { useSubmit } from '#lib/submit.ts'
import { focusFirstProblem } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import type { ChangeCredential } from './change-credential.ts'

const inPast = 'Choose a date in the future.'

const schema = z.object({
  name: NewCredential.shape.name.unwrap(),
  /** A date of the browser's calendar; empty for a credential that never expires. */
  expiresAt: z.string().refine((date) => date === '' || startOfDay(date) > new Date(), inPast),
})

type AddCredentialDialogProps = {
  identityId: string
  change: ChangeCredential
  suggestedName: string
  /** Receives the new credential with its secret. */
  onAdded: (credential: ApiCredential) => void
  onClose: () => void
}

/** Asks for the name and the expiry date of a new API credential and adds it. */
export function AddCredentialDialog({ identityId, change, suggestedName, onAdded, onClose }: AddCredentialDialogProps) {
  const form = useForm({
    initialValues: { name: suggestedName, expiresAt: '' },
    validate: schemaResolver(schema, { sync: true }),
  })
  const { submit, problem, setProblem, isBusy } = useSubmit(form, change, {
    nameField: 'name',
    readTaken: messageOf,
    done: ({ apiCredentials }) => {
      const added = apiCredentials.find(({ secretKey }) => secretKey !== undefined)
      if (added) onAdded(added)
      notifyDone('The credential was created.')
      onClose()
    },
    refused: focusFirstProblem,
  })

  function onSubmit(): void {
    setProblem(null)
    const { hasErrors } = form.validate() as { hasErrors: boolean }
    if (hasErrors) return focusFirstProblem()
    const { name, expiresAt } = form.values
    const body = { name, ...(expiresAt && { expiresAt: startOfDay(expiresAt).toISOString() }) }
    submit({ id: identityId, action: 'addapi', credentialId: '0', body })
  }

  return (
    <EditDialog
      title="Add credential"
      width={420}
      isDirty={form.isDirty()}
      isBusy={isBusy}
      submitLabel="Add"
      problem={problem}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Stack gap="md">
        <TextInput label="Name" maxLength={50} data-autofocus {...form.getInputProps('name')} />
        <TextInput
          type="date"
          label="Expires on"
          description="Optional. It stops working at the start of this day."
          {...form.getInputProps('expiresAt')}
        />
      </Stack>
    </EditDialog>
  )
}
