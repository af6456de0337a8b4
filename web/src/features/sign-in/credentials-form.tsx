import { messages } from '@portico/contract/messages'
import { Anchor, Button, Stack, TextInput, Title } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { Link } from 'react-router'
import { messageOf } from '#lib/api/api-error.ts'
import { paths } from '#lib/paths.ts'
import { signIn } from '#lib/session/session.ts'
import { useInitialFocus } from '#ui/form/initial-focus.ts'
import { PasswordField } from '#ui/form/password-field.tsx'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { useOwnChoice } from './temporary-password.ts'

type Problems = { email?: string; password?: string; form?: string }

type CredentialsFormProps = {
  /** Initial email, kept from an earlier attempt. */
  email: string
  /** Why the sign-in begins again. */
  problem: string | null
  /** The second step: a code is asked for. */
  onCodeWanted: (token: string, email: string) => void
}

export function CredentialsForm({ email: knownEmail, problem, onCodeWanted }: CredentialsFormProps) {
  const [problems, setProblems] = useState<Problems>(problem === null ? {} : { form: problem })
  const [isBusy, setBusy] = useState(false)
  const [typed, setTyped] = useState(knownEmail)
  const email = useRef<HTMLInputElement>(null)
  const password = useRef<HTMLInputElement>(null)
  useInitialFocus(knownEmail ? password : email)
  const leadToChoice = useOwnChoice()

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    const values = { email: email.current?.value.trim() ?? '', password: password.current?.value ?? '' }
    const missing = missingValues(values)
    setProblems(missing)
    if (missing.email) return email.current?.focus()
    if (missing.password) return password.current?.focus()
    setBusy(true)
    try {
      const token = await signIn(values.email, values.password).catch(leadToChoice)
      if (token) onCodeWanted(token, values.email)
    } catch (error) {
      setProblems({ form: messageOf(error) })
      setBusy(false)
      password.current?.select()
    }
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack gap="sm">
        <Title order={1} size={18}>
          Sign in
        </Title>
        <FormProblem>{problems.form}</FormProblem>
        <TextInput
          ref={email}
          size="sm"
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
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
