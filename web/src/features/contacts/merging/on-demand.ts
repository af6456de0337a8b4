import { deferred } from '#ui/page/deferred.tsx'

export const MergeDialog = deferred(async () => (await import('./merge-dialog.tsx')).MergeDialog)
