import type { Dashboard } from '@portico/contract/dashboards'
import { dashboardUrlOf } from '@portico/contract/scheduler/instructions'
import { schedulerMessages } from '@portico/contract/scheduler/scheduler-messages'
import { notifyDone } from '#ui/feedback/notify.ts'
import { CronEditor } from './editor/cron-editor.tsx'
import { ManageDialog } from './manage-dialog.tsx'

type DashboardSchedulesProps = {
  dashboard: Pick<Dashboard, '_id' | 'name'>
  open: 'schedule' | 'manage'
  onClose: () => void
}

/** The scheduler's dialogs for a dashboard: a new cron, or all of them. */
export function DashboardSchedules({ dashboard, open, onClose }: DashboardSchedulesProps) {
  const instruction = { url: dashboardUrlOf(dashboard._id) }
  const initial = { name: dashboard.name.slice(0, 100) }
  if (open === 'manage') return <ManageDialog consumerCode="BI" newCron={{ instruction, initial }} onClose={onClose} />
  const endWith = (message: string): void => {
    notifyDone(message)
    onClose()
  }
  return (
    <CronEditor
      consumerCode="BI"
      kept={null}
      instruction={instruction}
      initial={initial}
      onSaved={(name) => endWith(schedulerMessages.scheduled(name))}
      onClose={() => endWith(schedulerMessages.cancelled)}
    />
  )
}
