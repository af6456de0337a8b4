import { PasskeyName } from '@portico/contract/passkeys'
import { Stack, Text, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { messages } from '@portico/contract/messages'
import type { ReactNode } from 'react'
import { z } from 'zod'
import { useSubmit } from '#lib/submit.ts'
import { DialogButtons } from '#ui/dialog/dialog-buttons.tsx'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { PasswordField } from '#ui/form/password-field.tsx'
import { CodeField } from './code-field.tsx'
import { addPasskey } from './passkeys-queries.ts'
import { useSecurityChange } from './profile-queries.ts'

type AddPasskeyDialogProps = {
  email: string
  /** Two-factor is on: a code is required too. */
  asksCode: boolean
  /** Why it is asked for, if the person did not choose to. */
  lead?: ReactNode
  onClose: (isAdded: boolean) => void
}

const Required = z.string().min(1, messages.required)

/** Asks for a name and for proof, then the browser asks for the device. */
export function AddPasskeyDialog({ email, asksCode, lead, onClose }: AddPasskeyDialogProps) {
  const schema = z.object({ name: PasskeyName, password: Required, code: asksCode ? Required : z.string() })
  const form = useForm({
    initialValues: { name: '', password: '', code: '' },
    validate: (values) => schemaResolver(schema, { sync: true })(values),
    validateInputOnChange: true,
  })
  const { submit, problem, isBusy } = useSubmit(form, useSecurityChange(addPasskey), {
    // Of the device, which has no field.
    findField: (field) => (field === 'name' || field === 'password' || field === 'code' ? field : null),
    done: ({ name }) => {
      notifyDone(`The passkey “${name}” was added.`)
      onClose(true)
    },
  })
  const cancel = (): void => onClose(false)
  return (
    <FormDialog title="Add a passkey" width={460} guard={{ isDirty: form.isDirty(), isBusy }} onClose={cancel}>
      <DialogForm
        onSubmit={() => form.onSubmit(submit)()}
        footer={
          <DialogButtons onCancel={cancel} isBusy={isBusy}>
            Continue
          </DialogButtons>
        }
      >
        <Stack gap="sm">
          {lead}
          <Text size="sm">
            It signs you in without your password and without a code. Your browser will ask on which device to keep it.
          </Text>
          <FormProblem>{problem}</FormProblem>
          <TextInput
            label="Name"
            description="To tell it from others, such as “Work laptop”."
            maxLength={64}
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('name')}
          />
          {/* For password managers, which need to know the user name. */}
          <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
          <PasswordField label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
          {asksCode && <CodeField label="App code or recovery code" {...form.getInputProps('code')} />}
        </Stack>
      </DialogForm>
    </FormDialog>
  )
}
