import { FilterBuilder } from '#domain/filters'
import { deferred } from '#ui/page/deferred.tsx'

export const NewImportDialog = deferred(
  async () => (await import('./new-import/new-import-dialog.tsx')).NewImportDialog,
)

export const UndoImportDialog = deferred(async () => (await import('./undo-import-dialog.tsx')).UndoImportDialog)

/** The parts of the list of imports that open on a click. */
export const openedParts = [NewImportDialog, UndoImportDialog, FilterBuilder]
