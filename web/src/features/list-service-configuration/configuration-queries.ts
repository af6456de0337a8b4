import { type ExportSettings, exportsApi } from '@portico/contract/exports'
import { type FilterSettings, filterSettingsApi } from '@portico/contract/filter-settings'
import { type ImportDefaults, importsApi } from '@portico/contract/imports'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'

const key = ['imports', 'defaults']

export const useImportDefaults = () =>
  useQuery({
    queryKey: key,
    queryFn: ({ signal }) => call(importsApi.getImportDefaults, {}, { signal }),
    // The form keeps its initial values while it is open.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

export function useSaveImportDefaults() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: ImportDefaults) => call(importsApi.setImportDefaults, { body }),
    onSuccess: (saved) => client.setQueryData(key, saved),
  })
}

const exportsKey = ['exports', 'settings']

export const useExportSettings = () =>
  useQuery({ queryKey: exportsKey, queryFn: ({ signal }) => call(exportsApi.getExportSettings, {}, { signal }) })

export function useSaveExportSettings() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: ExportSettings) => call(exportsApi.setExportSettings, { body }),
    onSuccess: (saved) => client.setQueryData(exportsKey, saved),
  })
}

/** The filter builder reads this key too. */
const filtersKey = ['filter settings']

export const useFilterSettings = () =>
  useQuery({ queryKey: filtersKey, queryFn: ({ signal }) => call(filterSettingsApi.getFilterSettings, {}, { signal }) })

export function useSaveFilterSettings() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: FilterSettings) => call(filterSettingsApi.setFilterSettings, { body }),
    onSuccess: (saved) => client.setQueryData(filtersKey, saved),
  })
}
