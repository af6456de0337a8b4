import { deferred } from '#ui/page/deferred.tsx'

/** The dialog of a cron. */
export const CronEditor = deferred(async () => (await import('./editor/cron-editor.tsx')).CronEditor)

/** The dialog that runs past due times of a cron again. */
export const RunRangeDialog = deferred(async () => (await import('./run-range-dialog.tsx')).RunRangeDialog)
