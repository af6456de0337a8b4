import { FilterBuilder } from '#domain/filters'
import { ExportResultsDialog, SaveSearchDialog } from '#domain/results'
import { deferred } from '#ui/page/deferred.tsx'

export const AddContactDialog = deferred(
  async () => (await import('./editing/add-contact-dialog.tsx')).AddContactDialog,
)
export const ColumnsDialog = deferred(async () => (await import('./columns-dialog.tsx')).ColumnsDialog)
export const FieldEditor = deferred(async () => (await import('./editing/field-editor.tsx')).FieldEditor)
export const DeleteResultsDialog = deferred(
  async () => (await import('./delete-results-dialog.tsx')).DeleteResultsDialog,
)

/** The parts of Search & Analyze that open on a click. */
export const openedParts = [
  FilterBuilder,
  AddContactDialog,
  ColumnsDialog,
  FieldEditor,
  ExportResultsDialog,
  SaveSearchDialog,
  DeleteResultsDialog,
]
