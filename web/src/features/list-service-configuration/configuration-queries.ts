import { type ExportSettings, exportsApi } from '@portico/contract/exports'
import { type ImportDefaults, importsApi } from '@portico/contract/imports'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'

const key = ['imports', 'defaults']

export const useImportDefaults = () =>
  useQuery({
    queryKey: key,
    queryFn: ({ signal }) => call(importsApi.getImportDefaults, {}, { signal }),
    // What the form started with must not change under it.
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
