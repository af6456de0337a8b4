import { ConfirmDialog } from './confirm-dialog.tsx'

type LeaveDialogProps = {
  /** From a hook that stops anyone who leaves. */
  leaving: { isAsked: boolean; leave: () => void; stay: () => void }
  title: string
  question: string
}

/** Asks before the page is left and something is lost. */
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
