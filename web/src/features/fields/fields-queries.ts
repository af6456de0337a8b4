import { type ChangedField, type ChangedType, type FieldEntry, fieldsApi } from '@portico/contract/fields'
import type { FieldType } from '@portico/domain/field-types'
import { hashKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Editing } from '#domain/editing'
import { call } from '#lib/api/api.ts'

/** All fields that the user may read. Its key begins with that of the fields: changes of those reload it. */
export function useFieldDetails() {
  const client = useQueryClient()
  const fields = useQuery({
    queryKey: ['fields', 'details'],
    queryFn: ({ signal }) => call(fieldsApi.listFieldDetails, {}, { signal }),
    refetchInterval: ({ state }) => (state.data?.some(isChanging) ? pollMs : false),
  })
  const areChanging = fields.data?.some(isChanging) ?? false
  useEffect(() => {
    if (!areChanging) return undefined
    // A type affects nearly everything on screen. It has changed, or the user leaves this screen.
    return () => void client.invalidateQueries()
  }, [areChanging, client])
  return fields
}

const pollMs = 1500

/** Whether the type of a field is being changed. */
const isChanging = ({ typeChange }: FieldEntry): boolean => typeChange !== null && typeChange.status !== 'rejected'

/** The preview of another type of a field; requests nothing without a type. */
export const useTypePreview = (id: string, type: FieldType | null) =>
  useQuery({
    queryKey: ['fields', 'type', id, type],
    queryFn: ({ signal }) => call(fieldsApi.previewFieldType, { id, type: type ?? 'string' }, { signal }),
    enabled: type !== null,
    retry: false,
    // Contacts change all the time.
    gcTime: 0,
    staleTime: 0,
  })

export function useChangeFieldType(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: ChangedType) => call(fieldsApi.changeFieldType, { id, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['fields', 'details'] }),
  })
}

const valuesKey = (id: string) => ['fields', 'values', id]

/** Values of a field, counted now, and its uses. */
export const useFieldValues = (id: string) =>
  useQuery({
    queryKey: valuesKey(id),
    queryFn: ({ signal }) => call(fieldsApi.getFieldDetails, { id }, { signal }),
    retry: false,
  })

/** The field as currently stored on the server. */
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
    // Its values no longer exist, while its dialog, which shows them, is still open.
    onSuccess: (_deleted, { id }) =>
      client.invalidateQueries({ predicate: ({ queryHash }) => queryHash !== hashKey(valuesKey(id)) }),
  })
}

export function useRestoreField() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call(fieldsApi.restoreField, { id }),
    onSuccess: () => client.invalidateQueries(),
  })
}

/** A name affects nearly everything on screen. */
export function useUpdateField(id: string, save: Editing<FieldEntry>['save']) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (change: Omit<ChangedField, 'version'>) =>
      save((over) => call(fieldsApi.updateField, { id, body: { ...change, ...(over && { version: over.version }) } })),
    onSuccess: () => client.invalidateQueries(),
  })
}
