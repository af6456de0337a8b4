import { messages } from '@portico/contract/messages'
import { Alert, Anchor, Button, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import IconInfoCircle from '#icons/IconInfoCircle'
import { messageOf } from '#lib/api/api-error.ts'
import { leaveLocked, signInAgain, signInAgainWithCode } from '#lib/session/session-again.ts'
import { useSession } from '#lib/session/session.ts'
import { useInitialFocus } from '#ui/form/initial-focus.ts'
import { PasswordField } from '#ui/form/password-field.tsx'
import { CodeForm } from './code-form.tsx'
import { FormProblem } from '#ui/form/form-problem.tsx'

/** Asks the person of a locked page for the password, and the code, again. */
export function SignInAgain() {
  const session = useSession()
  const [token, setToken] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  if (session.state !== 'locked') return null
  const { user, notice } = session
  if (token !== null) {
    return (
      <CodeForm
        onCode={(code) => signInAgainWithCode(token, code)}
        onBack={(reason) => {
          setProblem(reason)
          setToken(null)
        }}
      />
    )
  }
  return <PasswordForm email={user.email} notice={notice} problem={problem} onCodeWanted={setToken} />
}

type PasswordFormProps = {
  email: string
  notice: string
  problem: string | null
  onCodeWanted: (token: string) => void
}

function PasswordForm({ email, notice, problem: given, onCodeWanted }: PasswordFormProps) {
  const [problem, setProblem] = useState<{ field?: string; form?: string | null }>({ form: given })
  const [isBusy, setBusy] = useState(false)
  const password = useRef<HTMLInputElement>(null)
  useInitialFocus(password)

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    const value = password.current?.value ?? ''
    if (!value) {
      setProblem({ field: messages.required })
      return password.current?.focus()
    }
    setBusy(true)
    try {
      const token = await signInAgain(value)
      if (token !== null) onCodeWanted(token)
    } catch (error) {
      setProblem({ form: messageOf(error) })
      setBusy(false)
      password.current?.select()
    }
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack gap="sm">
        <div>
          <Title order={2} size={18}>
            Sign in again
          </Title>
          <Text size="sm" c="dimmed" mt={4}>
            What you have typed is still there. Sign in as {email} to go on.
          </Text>
        </div>
        {problem.form ? (
          <FormProblem>{problem.form}</FormProblem>
        ) : (
          <Alert color="blue" icon={<IconInfoCircle size={18} />}>
            <output>{notice}</output>
          </Alert>
        )}
        {/* For what fills the password in: it has to know whose. */}
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          ref={password}
          size="sm"
          label="Password"
          name="password"
          autoComplete="current-password"
          error={problem.field}
        />
        <Button type="submit" size="sm" mt={6} fullWidth loading={isBusy}>
          Continue
        </Button>
        <Anchor component="button" type="button" size="sm" ta="center" onClick={leaveLocked}>
          Sign in as someone else
        </Anchor>
      </Stack>
    </form>
  )
}
