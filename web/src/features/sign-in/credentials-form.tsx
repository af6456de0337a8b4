import { messages } from '@portico/contract/messages'
import { Anchor, Button, Stack, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { Link } from 'react-router'
import { paths } from '#lib/paths.ts'
import { signInWithPasskey } from '#lib/session/passkey-session.ts'
import { signIn } from '#lib/session/session.ts'
import { noFields, useSubmit } from '#lib/submit.ts'
import { useInitialFocus } from '#ui/form/initial-focus.ts'
import { PasswordField } from '#ui/form/password-field.tsx'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { useOwnChoice } from './temporary-password.ts'

type Problems = { email?: string; password?: string }

type CredentialsFormProps = {
  /** Initial email, kept from an earlier attempt. */
  email: string
  /** Why the sign-in starts over. */
  problem: string | null
  /** The second step: a code is required. */
  onCodeWanted: (token: string, email: string) => void
}

export function CredentialsForm({ email: knownEmail, problem: given, onCodeWanted }: CredentialsFormProps) {
  const [problems, setProblems] = useState<Problems>({})
  const [typed, setTyped] = useState(knownEmail)
  const email = useRef<HTMLInputElement>(null)
  const password = useRef<HTMLInputElement>(null)
  useInitialFocus(knownEmail ? password : email)
  const leadToChoice = useOwnChoice()

  const attempt = useMutation({
    mutationFn: async (values: { email: string; password: string }) => ({
      email: values.email,
      token: await signIn(values.email, values.password).catch(leadToChoice),
    }),
    // The password is not stored.
    gcTime: 0,
  })
  const { submit, problem, setProblem, isBusy } = useSubmit(noFields, attempt, {
    given,
    done: (step) => step.token && onCodeWanted(step.token, step.email),
    refused: () => password.current?.select(),
  })

  function onSubmit(event: FormEvent): void {
    event.preventDefault()
    const values = { email: email.current?.value.trim() ?? '', password: password.current?.value ?? '' }
    const missing = missingValues(values)
    setProblem(null)
    setProblems(missing)
    if (missing.email) return email.current?.focus()
    if (missing.password) return password.current?.focus()
    submit(values)
  }

  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack gap="sm">
        <Title order={1} size={18}>
          Sign in
        </Title>
        <FormProblem>{problem}</FormProblem>
        <TextInput
          ref={email}
          size="sm"
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username webauthn"
          defaultValue={knownEmail}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={problems.email}
        />
        <PasswordField
          ref={password}
          size="sm"
          label="Password"
          name="password"
          autoComplete="current-password"
          error={problems.password}
        />
        <Button type="submit" size="sm" mt={6} fullWidth loading={isBusy}>
          Sign in
        </Button>
        <PasskeyButton onPasskey={(answer) => signInWithPasskey(answer).catch(leadToChoice)} />
        <Anchor component={Link} to={paths.forgotPassword()} state={{ email: typed }} size="sm" ta="center">
          Forgot your password?
        </Anchor>
      </Stack>
    </form>
  )
}

const missingValues = ({ email, password }: { email: string; password: string }): Problems => ({
  ...(!email && { email: messages.required }),
  ...(!password && { password: messages.required }),
})
