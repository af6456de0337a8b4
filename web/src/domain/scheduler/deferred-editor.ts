import { deferred } from '#ui/page/deferred.tsx'

/** The dialog of a cron. */
export const CronEditor = deferred(async () => (await import('./editor/cron-editor.tsx')).CronEditor)
