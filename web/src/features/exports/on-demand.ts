import { FilterDialog } from '#domain/filters'
import { deferred } from '#ui/page/deferred.tsx'

export const NewExportDialog = deferred(async () => (await import('./new-export-dialog.tsx')).NewExportDialog)

/** All that the list of exports opens on a click. */
export const openedParts = [NewExportDialog, FilterDialog]
