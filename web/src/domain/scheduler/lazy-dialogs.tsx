import { type ComponentProps, lazy, Suspense } from 'react'
import type { DashboardSchedules } from './dashboard-schedules.tsx'
import type { CronEditor } from './editor/cron-editor.tsx'
import type { ManageDialog } from './manage-dialog.tsx'

const Editor = lazy(async () => ({ default: (await import('./editor/cron-editor.tsx')).CronEditor }))
const Manage = lazy(async () => ({ default: (await import('./manage-dialog.tsx')).ManageDialog }))
const OfDashboard = lazy(async () => ({ default: (await import('./dashboard-schedules.tsx')).DashboardSchedules }))

/** The dialog of a cron. */
export function LazyCronEditor(props: ComponentProps<typeof CronEditor>) {
  return (
    <Suspense>
      <Editor {...props} />
    </Suspense>
  )
}

/** The dialog of all crons and runs of a consumer. */
export function LazyManageDialog(props: ComponentProps<typeof ManageDialog>) {
  return (
    <Suspense>
      <Manage {...props} />
    </Suspense>
  )
}

/** Both dialogs for a dashboard. */
export function LazyDashboardSchedules(props: ComponentProps<typeof DashboardSchedules>) {
  return (
    <Suspense>
      <OfDashboard {...props} />
    </Suspense>
  )
}
