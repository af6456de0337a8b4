import type { Account } from '@portico/contract/accounts'
import { Email } from '@portico/contract/email-schemas'
import { Checkbox, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { z } from 'zod'
import { messageOf } from '#lib/api/api-error.ts'
import { DialogButtons } from '#ui/dialog/dialog-buttons.tsx'
import { DialogForm, focusFirstProblem, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { useAddPowerUser } from './accounts-queries.ts'

const validate = schemaResolver(z.object({ email: Email, accessToAllSubAccounts: z.boolean() }), { sync: true })

/** Lets someone do everything in an account. */
export function PowerUserDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const form = useForm({
    initialValues: { email: '', accessToAllSubAccounts: false },
    validate,
    validateInputOnChange: true,
  })
  const add = useAddPowerUser(account.Key)
  const onSubmit = (added: { email: string; accessToAllSubAccounts: boolean }): void =>
    add.mutate(added, {
      onSuccess: () => {
        notifyDone(`'${added.email.trim()}' was added.`)
        onClose()
      },
      onError: (error) => {
        form.setFieldError('email', messageOf(error))
        focusFirstProblem()
      },
    })
  return (
    <FormDialog
      title={`Add a power user to ${account.Value}`}
      width={460}
      guard={{ isDirty: form.isDirty(), isBusy: add.isPending }}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={form.onSubmit(onSubmit, focusFirstProblem)}
        footer={
          <DialogButtons onCancel={onClose} isBusy={add.isPending}>
            Add
          </DialogButtons>
        }
      >
        <TextInput
          label="E-mail"
          description="New users are invited by email."
          withAsterisk
          inputMode="email"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('email')}
        />
        {account.parent === null && (
          <Checkbox
            label="Access to All Subaccounts"
            {...form.getInputProps('accessToAllSubAccounts', { type: 'checkbox' })}
          />
        )}
      </DialogForm>
    </FormDialog>
  )
}
