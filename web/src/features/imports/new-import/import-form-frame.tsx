import type { ReactNode } from 'react'
import { DialogForm } from '#ui/dialog/form-dialog.tsx'
import { ImportFooter } from './import-footer.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import type { FormSubmission } from './form-submission.ts'
import type { Steps } from '../steps/use-steps.ts'

type ImportFormFrameProps = {
  sending: FormSubmission
  file: File | null
  steps: Steps
  flow: { goOn: () => void; goBack: () => void }
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

/**
 * Frame of the dialog's forms: locked and guarded during the upload, with buttons and progress in the footer. Enter
 * opens the next step.
 */
export function ImportFormFrame({ sending, file, steps, flow, onSubmit, onClose, children }: ImportFormFrameProps) {
  return (
    <DialogForm
      onSubmit={steps.next ? flow.goOn : onSubmit}
      footer={
        <ImportFooter
          sending={sending}
          file={file}
          hint={hints[steps.step]}
          onBack={steps.before && flow.goBack}
          hasNext={steps.next !== null}
          onSubmit={onSubmit}
          onCancel={onClose}
        />
      }
    >
      <LeaveGuard isActive={sending.isBusy} />
      <fieldset disabled={sending.isBusy} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
        {children}
      </fieldset>
    </DialogForm>
  )
}

const hints = {
  file: 'Next sends the file and shows its columns. Nothing is imported before you submit.',
  match: null,
  options: 'Next shows what would change before anything does. Submit imports at once.',
  review: null,
}
