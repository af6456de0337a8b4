import { FilterBuilder } from '#domain/filters'
import { deferred } from '#ui/page/deferred.tsx'

export const NewImportDialog = deferred(
  async () => (await import('./new-import/new-import-dialog.tsx')).NewImportDialog,
)

/** All that the list of imports opens on a click. */
export const openedParts = [NewImportDialog, FilterBuilder]
