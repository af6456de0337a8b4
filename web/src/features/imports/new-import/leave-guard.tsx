import { useLeaving } from '#ui/form/unsaved.ts'
import { LeaveDialog } from '#ui/dialog/leave-dialog.tsx'

/** Asks before the page is left while a file is being sent. */
export function LeaveGuard({ isActive }: { isActive: boolean }) {
  return (
    <LeaveDialog
      leaving={useLeaving(isActive)}
      title="The file is still uploading"
      question="Leaving this page cancels the upload. Are you sure?"
    />
  )
}
