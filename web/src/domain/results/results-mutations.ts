import { exportsApi, type NewExport } from '@portico/contract/exports'
import { type NewSavedFilter, savedFiltersApi } from '@portico/contract/saved-filters'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'

export function useSaveSearch() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewSavedFilter) => call(savedFiltersApi.createSavedFilter, { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['saved filters'] }),
  })
}

export function useExportResults() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewExport) => call(exportsApi.createExport, { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['exports'] }),
  })
}
