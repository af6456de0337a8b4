import type { Dashboard } from '@portico/contract/dashboards'
import { dashboardUrlOf } from '@portico/contract/scheduler/instructions'
import { CronEditor } from './editor/cron-editor.tsx'
import { ManageDialog } from './manage-dialog.tsx'

type DashboardSchedulesProps = {
  dashboard: Pick<Dashboard, '_id' | 'name'>
  open: 'schedule' | 'manage'
  onScheduled: (name: string) => void
  onCancel: () => void
}

/** The dialogs of the scheduler for a dashboard: a new cron, or all of them. */
export function DashboardSchedules({ dashboard, open, onScheduled, onCancel }: DashboardSchedulesProps) {
  const instruction = { url: dashboardUrlOf(dashboard._id) }
  const initial = { name: dashboard.name.slice(0, 100) }
  if (open === 'manage') return <ManageDialog consumerCode="BI" newCron={{ instruction, initial }} onClose={onCancel} />
  return (
    <CronEditor
      consumerCode="BI"
      kept={null}
      instruction={instruction}
      initial={initial}
      onSaved={onScheduled}
      onClose={onCancel}
    />
  )
}
