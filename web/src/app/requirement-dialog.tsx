import { type ComponentType, useEffect, useState } from 'react'
import { stepUpStore, endStepUp, type StepUp } from '#lib/session/requirement.ts'
import { useStore } from '#lib/store.ts'
import { notifyError } from '#ui/feedback/notify.ts'

type Dialog = ComponentType<{ email: string; onClose: (isSettled: boolean) => void }>

/** Asks for the step-up in a dialog over the page. */
export function StepUpDialog({ email }: { email: string }) {
  const stepUp = useStore(stepUpStore, (pending) => pending?.stepUp ?? null)
  // Leaving the page cancels the request.
  useEffect(() => () => endStepUp(false), [])
  return stepUp && <LoadedDialog key={stepUp} stepUp={stepUp} email={email} />
}

/** Its code is loaded on demand. */
function LoadedDialog({ stepUp, email }: { stepUp: StepUp; email: string }) {
  const [Dialog, setDialog] = useState<Dialog | null>(null)
  useEffect(() => {
    import('#features/profile').then(
      ({ GivePasswordDialog, RequiredTwoFactorDialog }) =>
        setDialog(() => (stepUp === 'password' ? GivePasswordDialog : RequiredTwoFactorDialog)),
      () => {
        notifyError('This part could not be loaded. Check your connection and try again.')
        endStepUp(false)
      },
    )
  }, [stepUp])
  return Dialog && <Dialog email={email} onClose={endStepUp} />
}
