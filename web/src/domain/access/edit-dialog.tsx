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
  /** Why saving failed, when no field can say it. */
  problem: string | null
  /** Above the fields: that someone else has saved it meanwhile. */
  note?: ReactNode
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

/** A form in a dialog; what was entered is not lost without a question. */
export function EditDialog(props: EditDialogProps) {
  const { title, width, isDirty, isBusy, submitLabel, problem, note, onSubmit, onClose, children } = props
  const [isAsking, setAsking] = useState(false)
  const leaving = useLeaving(isDirty)
  // Once the key is through: the Escape that asks would answer the question, too.
  const ask = (): void => void window.setTimeout(() => setAsking(true))
  const close = (): void => (isDirty ? ask() : onClose())
  return (
    // While the question is open, Escape answers that.
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
