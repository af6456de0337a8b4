import { Button, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import { useSubmit } from '#lib/submit.ts'
import { DialogForm } from '#ui/dialog/form-dialog.tsx'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { PasswordField } from '#ui/form/password-field.tsx'
import { CodeField, required } from './code-field.tsx'
import { type Proof, useSecurityChange } from './profile-queries.ts'

type ProofFormProps<Reply> = {
  text: ReactNode
  submitLabel: string
  isDangerous?: boolean
  /** False for people without two-factor, whose password is enough. */
  asksCode?: boolean
  change: (proof: Proof) => Promise<Reply>
  onDone: (reply: Reply) => void
  onGuardChange: (guard: { isDirty: boolean; isBusy: boolean }) => void
  onClose: () => void
}

/** Asks for password and code before a factor is changed. */
export function ProofForm<Reply>(props: ProofFormProps<Reply>) {
  const { text, submitLabel, isDangerous = false, asksCode = true, change: act, onDone, onGuardChange, onClose } = props
  const form = useForm<Proof>({
    initialValues: { password: '', code: '' },
    validate: { password: required, ...(asksCode && { code: required }) },
    validateInputOnChange: true,
    onValuesChange: () => onGuardChange({ isDirty: true, isBusy: false }),
  })
  const { submit, problem, isBusy } = useSubmit(form, useSecurityChange(act), {
    done: onDone,
    settled: () => onGuardChange({ isDirty: true, isBusy: false }),
  })
  function onSubmit(proof: Proof): void {
    onGuardChange({ isDirty: true, isBusy: true })
    submit(proof)
  }
  return (
    <DialogForm
      onSubmit={() => form.onSubmit(onSubmit)()}
      footer={
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={isBusy}>
            Cancel
          </Button>
          <Button type="submit" {...(isDangerous && { color: 'red.8' })} loading={isBusy}>
            {submitLabel}
          </Button>
        </Group>
      }
    >
      <Stack gap="sm">
        <Text size="sm">{text}</Text>
        <FormProblem>{problem}</FormProblem>
        <PasswordField
          label="Password"
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('password')}
        />
        {asksCode && <CodeField label="App code or recovery code" {...form.getInputProps('code')} />}
      </Stack>
    </DialogForm>
  )
}
