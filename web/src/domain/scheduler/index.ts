/** Crons and their runs. The code of the dialogs loads when they open. */
export { CronEditor } from './deferred-editor.ts'
export { DashboardSchedules, ManageDialog } from './on-demand.ts'
export { useManagedSchedules, useScheduling } from './use-scheduling.ts'
