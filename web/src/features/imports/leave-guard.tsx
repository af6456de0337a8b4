import { useEffect } from 'react'
import { useBlocker } from 'react-router'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'

/** Asks before the page is left while a file is being sent: by the browser's own question, or by ours for the portal. */
export function LeaveGuard({ isActive }: { isActive: boolean }) {
  const blocker = useBlocker(isActive)
  useEffect(() => {
    if (!isActive) return
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isActive])
  // The upload may have ended while the question was open.
  useEffect(() => {
    if (!isActive && blocker.state === 'blocked') blocker.reset()
  }, [isActive, blocker])
  return (
    <ConfirmDialog
      isOpen={blocker.state === 'blocked'}
      title="The file is still being sent"
      question="Leaving this page cancels the upload. Are you sure?"
      confirmLabel="Leave"
      cancelLabel="Stay"
      onConfirm={() => blocker.state === 'blocked' && blocker.proceed()}
      onClose={() => blocker.state === 'blocked' && blocker.reset()}
    />
  )
}
