import { ConfirmDialog } from './confirm-dialog.tsx'

type LeaveDialogProps = {
  /** From a hook that blocks leaving the page. */
  leaving: { isAsked: boolean; leave: () => void; stay: () => void }
  title: string
  question: string
}

/** Asks before leaving the page would lose something. */
export function LeaveDialog({ leaving: { isAsked, leave, stay }, title, question }: LeaveDialogProps) {
  return (
    <ConfirmDialog
      isOpen={isAsked}
      title={title}
      question={question}
      confirmLabel="Leave"
      cancelLabel="Stay"
      onConfirm={leave}
      onClose={stay}
    />
  )
}
