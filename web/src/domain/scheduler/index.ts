/** Crons and their runs. The dialogs load when they are opened. */
export { LazyCronEditor, LazyDashboardSchedules, LazyManageDialog } from './lazy-dialogs.tsx'
export { useManagedSchedules, useScheduling } from './use-scheduling.ts'
