import { FilterDialog } from '#domain/filters'
import { deferred } from '#ui/page/deferred.tsx'

export const NewExportDialog = deferred(async () => (await import('./new-export-dialog.tsx')).NewExportDialog)

/** The parts of the list of exports that open on a click. */
export const openedParts = [NewExportDialog, FilterDialog]
