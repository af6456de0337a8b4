import { Email } from '@portico/contract/email-schemas'
import { ownAccountApi } from '@portico/contract/own-account'
import { Anchor, Button, Stack, Text, TextInput, Title } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { useRef } from 'react'
import { Link, useLocation } from 'react-router'
import { z } from 'zod'
import { call } from '#lib/api/api.ts'
import { useDeployment, usePageTitle } from '#lib/deployment.ts'
import { paths } from '#lib/paths.ts'
import { useSubmit } from '#lib/submit.ts'
import { EntryFrame } from '#ui/page/entry-frame.tsx'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { useInitialFocus } from '#ui/form/initial-focus.ts'

const schema = z.object({ email: Email })

/** `/forgot-password`: sends a link for a new password. */
export function ForgotPasswordPage() {
  const { company, product } = useDeployment()
  usePageTitle('Forgot password')
  const ask = useMutation({ mutationFn: (email: string) => call(ownAccountApi.forgotPassword, { body: { email } }) })
  return (
    <EntryFrame company={company} product={product}>
      {ask.isSuccess ? <Sent email={ask.variables} onAgain={ask.reset} /> : <AskForm ask={ask} />}
    </EntryFrame>
  )
}

function AskForm({ ask }: { ask: UseMutationResult<null, Error, string> }) {
  const from = useLocation().state as { email?: string } | null
  const form = useForm({
    initialValues: { email: from?.email ?? '' },
    validate: schemaResolver(schema, { sync: true }),
    validateInputOnBlur: true,
  })
  const { submit, problem, isBusy } = useSubmit(form, ask)
  const email = useRef<HTMLInputElement>(null)
  useInitialFocus(email)
  return (
    <form noValidate onSubmit={form.onSubmit((values) => submit(values.email.trim()))}>
      <Stack gap="sm">
        <div>
          <Title order={1} size={18}>
            Forgot your password?
          </Title>
          <Text size="sm" c="dimmed" mt={4}>
            We will email you a link to choose a new one.
          </Text>
        </div>
        <FormProblem>{problem}</FormProblem>
        <TextInput
          ref={email}
          size="sm"
          label="E-mail"
          type="email"
          autoComplete="username"
          {...form.getInputProps('email')}
        />
        <Button type="submit" size="sm" mt={6} fullWidth loading={isBusy}>
          Send the link
        </Button>
        <Anchor component={Link} to={paths.entry()} size="sm" ta="center">
          Back to sign-in
        </Anchor>
      </Stack>
    </form>
  )
}

function Sent({ email, onAgain }: { email: string; onAgain: () => void }) {
  return (
    <Stack gap="sm">
      <Title order={1} size={18}>
        Check your email
      </Title>
      <output>
        If {email} can sign in here, a message with a link is on its way. The link works once, within an hour.
      </output>
      <Text size="sm" c="dimmed">
        No message? Check your spam folder, and make sure that the address is right.
      </Text>
      <Button component={Link} to={paths.entry()} state={{ email }} size="sm" mt={6} fullWidth>
        Back to sign-in
      </Button>
      <Anchor component="button" type="button" size="sm" onClick={onAgain}>
        Send it again
      </Anchor>
    </Stack>
  )
}
