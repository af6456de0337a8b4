import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import IconFingerprint from '#icons/IconFingerprint'
import {
  askForPasskey,
  canSuggestPasskeys,
  type PasskeyAnswer,
  PasskeyWithdrawn,
  stopAsking,
  usePasskeyObstacle,
} from '#lib/passkeys.ts'
import { noFields, useSubmit } from '#lib/submit.ts'
import { FormProblem } from '#ui/form/form-problem.tsx'

type PasskeyButtonProps = {
  /** Signs in. */
  onPasskey: (answer: PasskeyAnswer) => Promise<void>
}

/**
 * Signs in with a passkey, by the button or by the suggestions of a field whose `autocomplete` ends in `webauthn`. Shows
 * nothing where browsers allow no passkeys.
 */
export function PasskeyButton({ onPasskey }: PasskeyButtonProps) {
  return usePasskeyObstacle() === null ? <UsableButton onPasskey={onPasskey} /> : null
}

function UsableButton({ onPasskey }: PasskeyButtonProps) {
  // The answer is not stored.
  const attempt = useMutation({ mutationFn: onPasskey, gcTime: 0 })
  const sending = useSubmit(noFields, attempt, { refused: () => suggest() })
  const request = useMutation({ mutationFn: () => askForPasskey({ isSuggested: false }), gcTime: 0 })
  const asking = useSubmit(noFields, request, { done: sending.submit, refused: () => suggest() })
  const isBusy = asking.isBusy || sending.isBusy
  // A second sign-in at the same time would end the first one.
  const suggest = useSuggestions((answer) => !isBusy && sending.submit(answer))
  return (
    <>
      <FormProblem>
        {sending.problem ?? (request.error instanceof PasskeyWithdrawn ? null : asking.problem)}
      </FormProblem>
      <Button
        variant="default"
        size="sm"
        fullWidth
        leftSection={<IconFingerprint size={17} aria-hidden />}
        loading={isBusy}
        onClick={() => {
          sending.setProblem(null)
          asking.submit(undefined)
        }}
      >
        {/* Does not begin with “Sign in”, the name of the specified button: people who speak to their computer, and scripts, find that one by it. */}
        Use a passkey
      </Button>
    </>
  )
}

// Shorter than the five minutes in which a challenge can be answered.
const renewAfterMs = 4 * 60_000

/**
 * Lets the browser suggest passkeys while the page is open. Returns a function that begins again, after another request
 * that has failed.
 */
function useSuggestions(onAnswer: (answer: PasskeyAnswer) => unknown): () => void {
  const latest = useRef(onAnswer)
  const start = useRef(() => {})
  useEffect(() => {
    latest.current = onAnswer
  })
  useEffect(() => {
    let isOpen = true
    start.current = () => {
      // Neither a missing device nor a network that is away is worth a message here: the button gives one.
      void suggestPasskeys(() => isOpen)
        .then((answer) => answer && isOpen && latest.current(answer))
        .catch(() => undefined)
    }
    start.current()
    const timer = window.setInterval(() => start.current(), renewAfterMs)
    return () => {
      isOpen = false
      window.clearInterval(timer)
      void stopAsking()
    }
  }, [])
  return () => start.current()
}

async function suggestPasskeys(isWanted: () => boolean): Promise<PasskeyAnswer | null> {
  if (!(await canSuggestPasskeys()) || !isWanted()) return null
  return askForPasskey({ isSuggested: true })
}
