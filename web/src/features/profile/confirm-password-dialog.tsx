import { Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogButtons } from '#ui/dialog/dialog-buttons.tsx'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { PasswordField } from '#ui/form/password-field.tsx'
import { required } from './code-field.tsx'
import { givePassword } from './profile-queries.ts'
import { showProblems } from './refusal.ts'

type GivePasswordDialogProps = { email: string; onClose: (isGiven: boolean) => void }

/** Requires a recently confirmed password before changes to credentials and sessions. */
export function GivePasswordDialog({ email, onClose }: GivePasswordDialogProps) {
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: required },
    validateInputOnChange: true,
  })
  const [problem, setProblem] = useState<string | null>(null)
  const give = useMutation({ mutationFn: givePassword })
  function onSubmit({ password }: { password: string }): void {
    setProblem(null)
    give.mutate(password, {
      onSuccess: () => onClose(true),
      onError: (error) => setProblem(showProblems(form, error)),
    })
  }
  return (
    <FormDialog
      title="Enter your password"
      width={420}
      guard={{ isDirty: form.isDirty(), isBusy: give.isPending }}
      onClose={() => onClose(false)}
    >
      <DialogForm
        onSubmit={() => form.onSubmit(onSubmit)()}
        footer={
          <DialogButtons onCancel={() => onClose(false)} isBusy={give.isPending}>
            Continue
          </DialogButtons>
        }
      >
        <Stack gap="sm">
          <Text size="sm">Confirm your password to continue. You will not be asked again for 15 minutes.</Text>
          <FormProblem>{problem}</FormProblem>
          {/* For what fills the password in: it has to know whose. */}
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
