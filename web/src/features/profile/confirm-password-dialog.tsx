import { Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useSubmit } from '#lib/submit.ts'
import { DialogButtons } from '#ui/dialog/dialog-buttons.tsx'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { PasswordField } from '#ui/form/password-field.tsx'
import { required } from './code-field.tsx'
import { givePassword } from './profile-queries.ts'

type GivePasswordDialogProps = { email: string; onClose: (isGiven: boolean) => void }

/** Requires a recently confirmed password before changes to credentials and sessions. */
export function GivePasswordDialog({ email, onClose }: GivePasswordDialogProps) {
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: required },
    validateInputOnChange: true,
  })
  const give = useMutation({ mutationFn: givePassword })
  const { submit, problem, isBusy } = useSubmit(form, give, { done: () => onClose(true) })
  return (
    <FormDialog
      title="Enter your password"
      width={420}
      guard={{ isDirty: form.isDirty(), isBusy }}
      onClose={() => onClose(false)}
    >
      <DialogForm
        onSubmit={() => form.onSubmit(({ password }) => submit(password))()}
        footer={
          <DialogButtons onCancel={() => onClose(false)} isBusy={isBusy}>
            Continue
          </DialogButtons>
        }
      >
        <Stack gap="sm">
          <Text size="sm">Confirm your password to continue. You will not be asked again for 15 minutes.</Text>
          <FormProblem>{problem}</FormProblem>
          {/* For password managers, which need to know the user name. */}
          <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
          <PasswordField
            label="Password"
            autoComplete="current-password"
            data-autofocus
            {...form.getInputProps('password')}
          />
        </Stack>
      </DialogForm>
    </FormDialog>
  )
}
