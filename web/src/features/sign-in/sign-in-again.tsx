import { messages } from '@portico/contract/messages'
import { Alert, Anchor, Button, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import IconInfoCircle from '#icons/IconInfoCircle'
import { signInAgainWithPasskey } from '#lib/session/passkey-session.ts'
import { leaveLocked, signInAgain, signInAgainWithCode } from '#lib/session/session-again.ts'
import { useSession } from '#lib/session/session.ts'
import { noFields, useSubmit } from '#lib/submit.ts'
import { useInitialFocus } from '#ui/form/initial-focus.ts'
import { PasswordField } from '#ui/form/password-field.tsx'
import { CodeForm } from './code-form.tsx'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { PasskeyButton } from './passkey-button.tsx'

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
  const [isMissing, setMissing] = useState(false)
  const password = useRef<HTMLInputElement>(null)
  useInitialFocus(password)
  // The password is not stored.
  const attempt = useMutation({ mutationFn: signInAgain, gcTime: 0 })
  const { submit, problem, setProblem, isBusy } = useSubmit(noFields, attempt, {
    given,
    done: (token) => token !== null && onCodeWanted(token),
    refused: () => password.current?.select(),
  })

  function onSubmit(event: FormEvent): void {
    event.preventDefault()
    const value = password.current?.value ?? ''
    setMissing(!value)
    if (value) return submit(value)
    setProblem(null)
    password.current?.focus()
  }

  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack gap="sm">
        <div>
          <Title order={2} size={18}>
            Sign in again
          </Title>
          <Text size="sm" c="dimmed" mt={4}>
            What you have typed is still there. Sign in as {email} to go on.
          </Text>
        </div>
        {problem ? (
          <FormProblem>{problem}</FormProblem>
        ) : (
          <Alert color="blue" icon={<IconInfoCircle size={18} />}>
            <output>{notice}</output>
          </Alert>
        )}
        {/* For password managers, which need to know the user name. */}
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          ref={password}
          size="sm"
          label="Password"
          name="password"
          autoComplete="current-password webauthn"
          error={isMissing && messages.required}
        />
        <Button type="submit" size="sm" mt={6} fullWidth loading={isBusy}>
          Continue
        </Button>
        <PasskeyButton onPasskey={signInAgainWithPasskey} />
        <Anchor component="button" type="button" size="sm" ta="center" onClick={leaveLocked}>
          Sign in as someone else
        </Anchor>
      </Stack>
    </form>
  )
}
