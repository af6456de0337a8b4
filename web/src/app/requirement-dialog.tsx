import { type ComponentType, useEffect, useState } from 'react'
import { askedStore, endOwed, type Owed } from '#lib/session/requirement.ts'
import { useStore } from '#lib/store.ts'
import { notifyError } from '#ui/feedback/notify.ts'

type Dialog = ComponentType<{ email: string; onClose: (isSettled: boolean) => void }>

/** Asks for the missing requirement in a dialog over the page. */
export function OwedDialog({ email }: { email: string }) {
  const owed = useStore(askedStore, (asked) => asked?.owed ?? null)
  // Leaving the page cancels the request.
  useEffect(() => () => endOwed(false), [])
  return owed && <LoadedDialog key={owed} owed={owed} email={email} />
}

/** Its code comes when it is needed. */
function LoadedDialog({ owed, email }: { owed: Owed; email: string }) {
  const [Dialog, setDialog] = useState<Dialog | null>(null)
  useEffect(() => {
    import('#features/profile').then(
      ({ GivePasswordDialog, OwedTwoFactorDialog }) =>
        setDialog(() => (owed === 'password' ? GivePasswordDialog : OwedTwoFactorDialog)),
      () => {
        notifyError('This part could not be loaded. Check your connection and try again.')
        endOwed(false)
      },
    )
  }, [owed])
  return Dialog && <Dialog email={email} onClose={endOwed} />
}
