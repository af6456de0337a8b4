import { exportsApi, type StoredExportSettings } from '@portico/contract/exports'
import { filterSettingsApi, type StoredFilterSettings } from '@portico/contract/filter-settings'
import { type ImportDefaults, importsApi, type StoredImportDefaults } from '@portico/contract/imports'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { changeFresh, type Editing } from '#domain/editing'
import { call } from '#lib/api/api.ts'

const key = ['imports', 'defaults']

export const getImportDefaults = (): Promise<StoredImportDefaults> => call(importsApi.getImportDefaults, {})

export const useImportDefaults = () =>
  useQuery({
    queryKey: key,
    queryFn: getImportDefaults,
    // The form keeps its initial values while it is open.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

export function useSaveImportDefaults(save: Editing<StoredImportDefaults>['save']) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: ImportDefaults) =>
      save((over) => call(importsApi.setImportDefaults, { body: { ...body, ...(over && { version: over.version }) } })),
    onSuccess: (saved) => client.setQueryData(key, saved),
  })
}

const exportsKey = ['exports', 'settings']

const getExportSettings = (): Promise<StoredExportSettings> => call(exportsApi.getExportSettings, {})

export const useExportSettings = () => useQuery({ queryKey: exportsKey, queryFn: getExportSettings })

export function useSaveExportSettings() {
  const client = useQueryClient()
  return useMutation({
    // The only setting: it overwrites nothing else that others have changed since.
    mutationFn: ({ guardFormulas }: { guardFormulas: boolean }) =>
      changeFresh(getExportSettings, ({ version }) =>
        call(exportsApi.setExportSettings, { body: { guardFormulas, version } }),
      ),
    onSuccess: (saved) => client.setQueryData(exportsKey, saved),
  })
}

/** The filter builder uses this key too. */
const filtersKey = ['filter settings']

const getFilterSettings = (): Promise<StoredFilterSettings> => call(filterSettingsApi.getFilterSettings, {})

export const useFilterSettings = () => useQuery({ queryKey: filtersKey, queryFn: getFilterSettings })

export function useSaveFilterSettings() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ onlyIndexedFields }: { onlyIndexedFields: boolean }) =>
      changeFresh(getFilterSettings, ({ version }) =>
        call(filterSettingsApi.setFilterSettings, { body: { onlyIndexedFields, version } }),
      ),
    onSuccess: (saved) => client.setQueryData(filtersKey, saved),
  })
}
