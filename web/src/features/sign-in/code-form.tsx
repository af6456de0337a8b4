import { messages } from '@portico/contract/messages'
import { Anchor, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { noFields, useSubmit } from '#lib/submit.ts'
import { useInitialFocus } from '#ui/form/initial-focus.ts'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { codeLifetimeMs } from './code-step.ts'

const timeIsOver = 'The code expired. Please sign in again.'
const codeLength = 6

type CodeFormProps = {
  /** When codes stop being accepted, in ms; five minutes from now if not given. */
  endsAt?: number
  /** Continues with the code. */
  onCode: (code: string) => Promise<void>
  /** Returns to the password, with the reason if the user did not ask for it. */
  onBack: (problem: string | null) => void
}

/** The second step: a code from the authenticator app, or one of the recovery codes. */
export function CodeForm({ endsAt, onCode, onBack }: CodeFormProps) {
  const [usesRecovery, setUsesRecovery] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useInitialFocus(input)
  useTimeLimit(endsAt, onBack)
  const attempt = useMutation({ mutationFn: onCode })
  const { problem, setProblem, isBusy, ...sending } = useSubmit(noFields, attempt, {
    refused: (_, error) => (startsAnew(error) ? onBack(messageOf(error)) : input.current?.select()),
  })

  function submit(): void {
    const code = input.current?.value.trim() ?? ''
    setMissing(!code)
    if (code) return sending.submit(code)
    setProblem(null)
    input.current?.focus()
  }

  function onSubmit(event: FormEvent): void {
    event.preventDefault()
    submit()
  }

  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack gap="sm">
        <div>
          <Title order={1} size={18}>
            Enter your code
          </Title>
          <Text size="sm" c="dimmed" mt={4}>
            {usesRecovery
              ? 'Enter one of your saved recovery codes. Each works once.'
              : 'Enter the six digits from your authenticator app.'}
          </Text>
        </div>
        <FormProblem>{problem}</FormProblem>
        <TextInput
          key={String(usesRecovery)}
          ref={input}
          size="sm"
          label={usesRecovery ? 'Recovery code' : 'Code'}
          name="code"
          error={isMissing && messages.required}
          maxLength={20}
          spellCheck={false}
          autoCapitalize="none"
          {...(usesRecovery
            ? { autoComplete: 'off' }
            : { autoComplete: 'one-time-code', inputMode: 'numeric', placeholder: '123 456' })}
          onChange={(event) => {
            const isWhole = event.currentTarget.value.replaceAll(/\s/g, '').length === codeLength
            // Six digits are a complete code; a recovery code is longer.
            if (!usesRecovery && isWhole && !isBusy && !problem) submit()
          }}
        />
        <Button type="submit" size="sm" mt={6} fullWidth loading={isBusy}>
          Continue
        </Button>
        <Group justify="space-between" gap="xs">
          <Anchor component="button" type="button" size="sm" onClick={() => onBack(null)}>
            Back
          </Anchor>
          <Anchor
            component="button"
            type="button"
            size="sm"
            onClick={() => {
              setUsesRecovery(!usesRecovery)
              setMissing(false)
              setProblem(null)
              requestAnimationFrame(() => input.current?.focus())
            }}
          >
            {usesRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
          </Anchor>
        </Group>
      </Stack>
    </form>
  )
}

/** The server reports this if the token has expired, was used, or has seen five wrong codes. */
const startsAnew = (error: unknown): boolean =>
  isApiError(error, 'wrong_credentials') && (error.details as { step?: string } | null)?.step === 'password'

/** Returns to the password as soon as a code would be refused. */
function useTimeLimit(endsAt: number | undefined, onBack: CodeFormProps['onBack']): void {
  const latest = useRef(onBack)
  useEffect(() => {
    latest.current = onBack
  })
  useEffect(() => {
    const timer = window.setTimeout(
      () => latest.current(timeIsOver),
      endsAt === undefined ? codeLifetimeMs : endsAt - Date.now(),
    )
    return () => window.clearTimeout(timer)
  }, [endsAt])
}
