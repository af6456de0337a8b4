import { deferred } from '#ui/page/deferred.tsx'

/** The dialog of all crons and runs of a consumer. */
export const ManageDialog = deferred(async () => (await import('./manage-dialog.tsx')).ManageDialog)

/** Both dialogs for a dashboard. */
export const DashboardSchedules = deferred(async () => (await import('./dashboard-schedules.tsx')).DashboardSchedules)
