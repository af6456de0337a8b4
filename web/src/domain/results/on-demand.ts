import { deferred } from '#ui/page/deferred.tsx'

// Results are shown before anyone exports them or saves their search.

export const ExportResultsDialog = deferred(
  async () => (await import('./export-results-dialog.tsx')).ExportResultsDialog,
)
export const SaveSearchDialog = deferred(async () => (await import('./save-search-dialog.tsx')).SaveSearchDialog)
