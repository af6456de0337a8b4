import { FilterBuilder } from '#domain/filters'
import { deferred } from '#ui/page/deferred.tsx'

export const NewImportDialog = deferred(
  async () => (await import('./new-import/new-import-dialog.tsx')).NewImportDialog,
)

export const UndoImportDialog = deferred(async () => (await import('./undo-import-dialog.tsx')).UndoImportDialog)

/** All that the list of imports opens on a click. */
export const openedParts = [NewImportDialog, UndoImportDialog, FilterBuilder]
