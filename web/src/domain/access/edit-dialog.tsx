import { Alert } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { unsavedQuestion, useLeaving } from '#ui/form/unsaved.ts'
import { DialogButtons } from '#ui/dialog/dialog-buttons.tsx'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { LeaveDialog } from '#ui/dialog/leave-dialog.tsx'

type EditDialogProps = {
  title: string
  width: number
  isDirty: boolean
  isBusy: boolean
  submitLabel: string
  /** Why saving failed, if no field shows it. */
  problem: string | null
  /** Shown above the fields: another person has saved the item meanwhile. */
  note?: ReactNode
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

/** A form in a dialog, which asks before it discards changes. */
export function EditDialog(props: EditDialogProps) {
  const { title, width, isDirty, isBusy, submitLabel, problem, note, onSubmit, onClose, children } = props
  const [isAsking, setAsking] = useState(false)
  const leaving = useLeaving(isDirty)
  // Deferred until the key event is over: the Escape that opens the question would also answer it.
  const ask = (): void => void window.setTimeout(() => setAsking(true))
  const close = (): void => (isDirty ? ask() : onClose())
  return (
    // While the question is open, Escape belongs to it.
    <FormDialog title={title} width={width} guard={{ isDirty: isAsking, isBusy }} onClose={close}>
      <DialogForm
        onSubmit={onSubmit}
        footer={
          <>
            {problem && (
              <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert" mb="sm">
                {problem}
              </Alert>
            )}
            <DialogButtons onCancel={close} isBusy={isBusy}>
              {submitLabel}
            </DialogButtons>
          </>
        }
      >
        {note}
        {children}
      </DialogForm>
      <ConfirmDialog
        isOpen={isAsking}
        title="Unsaved changes"
        question={unsavedQuestion}
        confirmLabel="Leave"
        cancelLabel="Stay"
        onConfirm={onClose}
        onClose={() => setAsking(false)}
      />
      <LeaveDialog leaving={leaving} title="Unsaved changes" question={unsavedQuestion} />
    </FormDialog>
  )
}
