import type { Profile } from '@portico/contract/own-account'
import { newPasswordFor } from '@portico/contract/password-rules'
import { messages } from '@portico/contract/messages'
import { Button, Group, Stack } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { z } from 'zod'
import { useDeployment } from '#lib/deployment.ts'
import { formatDate } from '#lib/formats.ts'
import { useSubmit } from '#lib/submit.ts'
import { useTypedInput } from '#ui/form/typed-input.ts'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { NewPasswordField } from '#ui/form/new-password-field.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { Panel } from '#ui/page/panel.tsx'
import { PasswordField } from '#ui/form/password-field.tsx'
import { changePassword, useSecurityChange } from './profile-queries.ts'

const initialValues = { currentPassword: '', newPassword: '' }

/** Changes the password, which ends the other sessions. */
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
  const { submit, problem, isBusy } = useSubmit(form, useSecurityChange(changePassword), {
    done: () => {
      form.reset()
      notifyDone('Your password was changed. Your other sessions have ended.')
    },
  })

  return (
    <Panel
      title="Password"
      description={passwordChangedAt ? `Last changed ${formatDate(passwordChangedAt)}.` : undefined}
    >
      <form noValidate onSubmit={form.onSubmit(submit)}>
        <Stack gap="sm">
          <FormProblem>{problem}</FormProblem>
          {/* For password managers, which need to know the user name. */}
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
            <Button type="submit" disabled={!form.isDirty()} loading={isBusy}>
              Change the password
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}
