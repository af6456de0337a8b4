/** Crons and their runs. The dialogs load when they are opened. */
export { CronEditor } from './deferred-editor.ts'
export { DashboardSchedules, ManageDialog } from './on-demand.ts'
export { useManagedSchedules, useScheduling } from './use-scheduling.ts'
