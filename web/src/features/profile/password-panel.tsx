import type { Profile } from '@portico/contract/own-account'
import { newPasswordFor } from '@portico/contract/password-rules'
import { messages } from '@portico/contract/messages'
import { Button, Group, Stack } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useState } from 'react'
import { z } from 'zod'
import { useDeployment } from '#lib/deployment.ts'
import { formatDate } from '#lib/formats.ts'
import { useTypedInput } from '#ui/typed-input.ts'
import { FormProblem } from '#ui/form-problem.tsx'
import { NewPasswordField } from '#ui/new-password-field.tsx'
import { notifyDone } from '#ui/notify.ts'
import { Panel } from '#ui/panel.tsx'
import { PasswordField } from '#ui/password-field.tsx'
import { changePassword, useSecurityChange } from './profile-queries.ts'
import { showProblems } from './refusal.ts'

const initialValues = { currentPassword: '', newPassword: '' }

/** Changes the password; the other sessions end. */
export function PasswordPanel({ profile }: { profile: Profile }) {
  const { email, userName, passwordChangedAt } = profile
  const { company, product } = useDeployment()
  const schema = z.object({
    currentPassword: z.string().min(1, messages.required),
    newPassword: newPasswordFor({ email, userName }, { company, product }),
  })
  const form = useForm({
    initialValues,
    validate: (values) => schemaResolver(schema, { sync: true })(values),
    validateInputOnChange: true,
  })
  useTypedInput(form.isDirty())
  const [problem, setProblem] = useState<string | null>(null)
  const change = useSecurityChange(changePassword)

  function onSubmit(values: typeof initialValues): void {
    setProblem(null)
    change.mutate(values, {
      onSuccess: () => {
        form.reset()
        notifyDone('Your password was changed. Your other sessions have ended.')
      },
      onError: (error) => setProblem(showProblems(form, error)),
    })
  }

  return (
    <Panel
      title="Password"
      description={passwordChangedAt ? `Last changed ${formatDate(passwordChangedAt)}.` : undefined}
    >
      <form noValidate onSubmit={form.onSubmit(onSubmit)}>
        <Stack gap="sm">
          <FormProblem>{problem}</FormProblem>
          {/* For what keeps the password: it has to know whose. */}
          <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
          <PasswordField
            label="Current password"
            name="current-password"
            autoComplete="current-password"
            {...form.getInputProps('currentPassword')}
          />
          <NewPasswordField
            knownWords={[email, userName ?? '', company, product]}
            {...form.getInputProps('newPassword')}
          />
          <Group justify="flex-end">
            <Button type="submit" disabled={!form.isDirty()} loading={change.isPending}>
              Change the password
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}
