import type { Account } from '@portico/contract/accounts'
import { Email } from '@portico/contract/email-schemas'
import { Checkbox, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { z } from 'zod'
import { messageOf } from '#lib/api/api-error.ts'
import { useSubmit } from '#lib/submit.ts'
import { DialogButtons } from '#ui/dialog/dialog-buttons.tsx'
import { DialogForm, focusFirstProblem, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { useAddPowerUser } from './accounts-queries.ts'

const validate = schemaResolver(z.object({ email: Email, accessToAllSubAccounts: z.boolean() }), { sync: true })

/** Makes a person a power user of an account. */
export function PowerUserDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const form = useForm({
    initialValues: { email: '', accessToAllSubAccounts: false },
    validate,
    validateInputOnChange: true,
  })
  const { submit, isBusy } = useSubmit(form, useAddPowerUser(account.Key), {
    nameField: 'email',
    readTaken: messageOf,
    done: () => {
      notifyDone(`'${form.values.email.trim()}' was added.`)
      onClose()
    },
    refused: (problem) => {
      if (problem !== null) form.setFieldError('email', problem)
      focusFirstProblem()
    },
  })
  return (
    <FormDialog
      title={`Add a power user to ${account.Value}`}
      width={460}
      guard={{ isDirty: form.isDirty(), isBusy }}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={form.onSubmit(submit, focusFirstProblem)}
        footer={
          <DialogButtons onCancel={onClose} isBusy={isBusy}>
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
