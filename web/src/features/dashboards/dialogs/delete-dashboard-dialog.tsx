import type { Dashboard } from '@portico/contract/dashboards'
import { messageOf } from '#lib/api/api-error.ts'
import { TypedConfirmDialog } from '#ui/dialog/typed-confirm-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { useDeleteDashboard } from '../dashboard-mutations.ts'

type DeleteDashboardDialogProps = { dashboard: Dashboard; onDeleted: () => void; onClose: () => void }

/** Deletes a dashboard after its name is typed. */
export function DeleteDashboardDialog({ dashboard, onDeleted, onClose }: DeleteDashboardDialogProps) {
  const remove = useDeleteDashboard()
  const onConfirm = (): void =>
    remove.mutate(dashboard._id, {
      onSuccess: () => {
        notifyDone(`'${dashboard.name}' was successfully deleted.`)
        onDeleted()
        onClose()
      },
    })
  return (
    <TypedConfirmDialog
      title="Delete Dashboard"
      question="To delete this dashboard for everyone it is shared with, type its name:"
      label="Name"
      expected={dashboard.name}
      confirmLabel="Delete"
      isBusy={remove.isPending}
      problem={remove.error ? messageOf(remove.error) : null}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  )
}
