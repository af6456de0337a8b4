import type { ReactNode, RefObject } from 'react'
import { DialogForm } from '#ui/dialog/form-dialog.tsx'
import { ImportFooter } from './import-footer.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import type { FormSubmission } from './form-submission.ts'

type ReviewStart = { onStart: () => void; button: RefObject<HTMLButtonElement | null> }

type ImportFormFrameProps = {
  sending: Pick<FormSubmission, 'submission' | 'isBusy' | 'cancelUpload'>
  file: File | null
  onImport: () => void
  /** Set if an import can be reviewed first; Enter also starts the review. */
  review?: ReviewStart
  onClose: () => void
  children: ReactNode
}

/** Frame of the dialog's forms: locked and guarded during the upload, with buttons and progress in the footer. */
export function ImportFormFrame({ sending, file, onImport, review, onClose, children }: ImportFormFrameProps) {
  const { submission, isBusy, cancelUpload } = sending
  return (
    <DialogForm
      onSubmit={review?.onStart ?? onImport}
      footer={
        <ImportFooter
          submission={submission}
          file={file}
          direct={review ? { onImport, reviewButton: review.button } : null}
          onCancel={onClose}
          onCancelUpload={cancelUpload}
          isBusy={isBusy}
        />
      }
    >
      <LeaveGuard isActive={isBusy} />
      <fieldset disabled={isBusy} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
        {children}
      </fieldset>
    </DialogForm>
  )
}
