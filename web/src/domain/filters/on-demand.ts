import { deferred } from '#ui/page/deferred.tsx'

// Lists show their rows before a filter is opened.

export const FilterBuilder = deferred(async () => (await import('./filter-builder.tsx')).FilterBuilder)
export const FilterDialog = deferred(async () => (await import('./filter-dialog.tsx')).FilterDialog)
export const SaveFilterDialog = deferred(async () => (await import('./tabs/saved-filter-dialogs.tsx')).SaveFilterDialog)
export const DeleteFilterDialog = deferred(
  async () => (await import('./tabs/saved-filter-dialogs.tsx')).DeleteFilterDialog,
)
