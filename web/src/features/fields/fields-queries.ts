import { type ChangedField, type FieldEntry, fieldsApi } from '@portico/contract/fields'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Editing } from '#domain/editing'
import { call } from '#lib/api/api.ts'

/** All fields that the person may read. Under the key of the fields, so that what changes these loads it again. */
export const useFieldDetails = () =>
  useQuery({
    queryKey: ['fields', 'details'],
    queryFn: ({ signal }) => call(fieldsApi.listFieldDetails, {}, { signal }),
  })

/** Values of a field, counted now, and what uses it. */
export const useFieldValues = (id: string) =>
  useQuery({
    queryKey: ['fields', 'values', id],
    queryFn: ({ signal }) => call(fieldsApi.getFieldDetails, { id }, { signal }),
    retry: false,
  })

/** The field as the server has it now. */
export async function readField(id: string): Promise<FieldEntry> {
  const all = await call(fieldsApi.listFieldDetails, {})
  const found = all.find(({ _id }) => _id === id)
  if (!found) throw new Error('This field does not exist any more.')
  return found
}

export function useDeleteField() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, uses }: { id: string; uses: number }) => call(fieldsApi.deleteField, { id, uses }),
    onSuccess: () => client.invalidateQueries(),
  })
}

export function useRestoreField() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call(fieldsApi.restoreField, { id }),
    onSuccess: () => client.invalidateQueries(),
  })
}

/** A name is in nearly everything that the person sees. */
export function useUpdateField(id: string, save: Editing<FieldEntry>['save']) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (change: Omit<ChangedField, 'version'>) =>
      save((over) => call(fieldsApi.updateField, { id, body: { ...change, ...(over && { version: over.version }) } })),
    onSuccess: () => client.invalidateQueries(),
  })
}
