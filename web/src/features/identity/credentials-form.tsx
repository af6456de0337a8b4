import { Alert, Button, PasswordInput, Stack, TextInput, Title } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { messageOf } from '#lib/api-error.ts'
import { signIn } from '#lib/session.ts'
import { useInitialFocus } from '#ui/initial-focus.ts'

type Problems = { email?: string; password?: string; form?: string }

export function CredentialsForm() {
  const [problems, setProblems] = useState<Problems>({})
  const [isBusy, setBusy] = useState(false)
  const [isCapsLock, setCapsLock] = useState(false)
  const email = useRef<HTMLInputElement>(null)
  const password = useRef<HTMLInputElement>(null)
  useInitialFocus(email)

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    const values = { email: email.current?.value.trim() ?? '', password: password.current?.value ?? '' }
    const missing = missingValues(values)
    setProblems(missing)
    if (missing.email) return email.current?.focus()
    if (missing.password) return password.current?.focus()
    setBusy(true)
    try {
      await signIn(values.email, values.password)
    } catch (error) {
      setProblems({ form: messageOf(error) })
      setBusy(false)
      password.current?.select()
    }
  }

  const noteCapsLock = (event: KeyboardEvent): void => setCapsLock(event.getModifierState('CapsLock'))
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack gap="sm">
        <Title order={1} size={18}>
          Sign in
        </Title>
        {problems.form && (
          <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
            {problems.form}
          </Alert>
        )}
        <TextInput
          ref={email}
          size="sm"
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          error={problems.email}
        />
        <PasswordInput
          ref={password}
          size="sm"
          label="Password"
          name="password"
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
          onKeyDown={noteCapsLock}
          onKeyUp={noteCapsLock}
          onBlur={() => setCapsLock(false)}
          error={problems.password}
          description={isCapsLock && <output>Caps Lock is on.</output>}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
        />
        <Button type="submit" size="sm" mt={6} fullWidth loading={isBusy}>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}

const missingValues = ({ email, password }: { email: string; password: string }): Problems => ({
  ...(!email && { email: 'Value is required!' }),
  ...(!password && { password: 'Value is required!' }),
})
