import { ownAccountApi } from '@portico/contract/own-account'
import { newPasswordFor, type PasswordOwner } from '@portico/contract/password-rules'
import { Button, Group, Loader, Stack, Text, Title } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { z } from 'zod'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { call } from '#lib/api/api.ts'
import { useDeployment, usePageTitle } from '#lib/deployment.ts'
import { paths } from '#lib/paths.ts'
import { useLinkSecret } from '#lib/session/link-secret.ts'
import { signOut } from '#lib/session/session.ts'
import { useSubmit } from '#lib/submit.ts'
import { EntryFrame } from '#ui/page/entry-frame.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { useInitialFocus } from '#ui/form/initial-focus.ts'
import { NewPasswordField } from '#ui/form/new-password-field.tsx'
import { useResetOwner } from './reset-owner.ts'

/** `/reset-password#link=…`: a new password through an emailed link, or to replace a temporary password. */
export function ResetPasswordPage() {
  const { company, product } = useDeployment()
  usePageTitle('Choose a new password')
  // Only the sign-in sets this state.
  const { ownChoice } = (useLocation().state ?? {}) as { ownChoice?: string }
  const emailed = useLinkSecret('link')
  const link = ownChoice ?? emailed
  const [refused, setRefused] = useState('')
  const { data: owner, error, refetch } = useResetOwner(link)
  return (
    <EntryFrame company={company} product={product}>
      {link === refused || owner === null ? (
        <InvalidLink />
      ) : owner ? (
        <ResetForm
          key={link}
          link={link}
          owner={owner}
          isOwnChoice={ownChoice !== undefined}
          onInvalid={() => setRefused(link)}
        />
      ) : error ? (
        <FailureState message={messageOf(error)} onRetry={() => void refetch()} />
      ) : (
        <Group gap="sm">
          <Loader size="sm" aria-hidden />
          <Text component="output">Checking the link…</Text>
        </Group>
      )}
    </EntryFrame>
  )
}

type ResetFormProps = {
  link: string
  owner: PasswordOwner
  /** Replaces a password that was generated for the person. */
  isOwnChoice: boolean
  onInvalid: () => void
}

function ResetForm({ link, owner, isOwnChoice, onInvalid }: ResetFormProps) {
  const { company, product } = useDeployment()
  const schema = z.object({ password: newPasswordFor(owner, { company, product }) })
  const form = useForm({
    initialValues: { password: '' },
    validate: (values) => schemaResolver(schema, { sync: true })(values),
    validateInputOnChange: true,
  })
  const reset = useMutation({
    mutationFn: (password: string) => call(ownAccountApi.resetPassword, { body: { link, password } }),
  })
  const navigate = useNavigate()
  const field = useRef<HTMLDivElement>(null)
  useInitialFocus(field)

  const { submit, problem, isBusy } = useSubmit(form, reset, {
    done: ({ email }) => {
      // Another person may be signed in here; the owner's sessions have ended anyway.
      void signOut()
      const notice = 'Your password was changed. Sign in with the new one.'
      void navigate(paths.entry(), { replace: true, state: { email, notice } })
    },
    // A text that cannot be a link is refused as invalid input.
    refused: (rest, error) => rest !== null && isApiError(error, 'link_invalid', 'invalid_input') && onInvalid(),
  })

  return (
    <form noValidate onSubmit={form.onSubmit(({ password }) => submit(password))}>
      <Stack gap="sm">
        <div>
          <Title order={1} size={18}>
            {isOwnChoice ? 'Choose your own password' : 'Choose a new password'}
          </Title>
          <Text size="sm" c="dimmed" mt={4}>
            {isOwnChoice
              ? 'Your temporary password may be known to others. It stops working when you choose a new one.'
              : 'This ends all your sessions on every device.'}
          </Text>
        </div>
        <FormProblem>{problem}</FormProblem>
        <div ref={field}>
          <NewPasswordField
            size="sm"
            knownWords={[owner.email, owner.userName ?? '', company, product]}
            {...form.getInputProps('password')}
          />
        </div>
        <Button type="submit" size="sm" mt={6} fullWidth loading={isBusy}>
          Change the password
        </Button>
      </Stack>
    </form>
  )
}

function InvalidLink() {
  return (
    <Stack gap="sm">
      <Title order={1} size={18}>
        This link is not valid
      </Title>
      <Text role="alert">It was already used, is older than an hour, or was replaced by a newer one.</Text>
      <Button component={Link} to={paths.forgotPassword()} size="sm" mt={6} fullWidth>
        Request a new link
      </Button>
      <Button component={Link} to={paths.entry()} variant="default" size="sm" fullWidth>
        Sign in
      </Button>
    </Stack>
  )
}
