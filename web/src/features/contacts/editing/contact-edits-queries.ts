import { type ChangedValue, contactEditsApi } from '@portico/contract/contact-edits'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { isApiError } from '#lib/api/api-error.ts'
import { call } from '#lib/api/api.ts'
import type { Value } from './edited-value.ts'

/** The last changes of a contact, newest first. */
export const useContactChanges = (id: string) =>
  useQuery({
    queryKey: ['contacts', 'changes', id],
    queryFn: ({ signal }) => call(contactEditsApi.listContactChanges, { id }, { signal }),
  })

/** Reloads the contacts. */
function useReadAgain() {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: ['contacts'] })
}

/** Sets one field of a contact, if it still has the value that was read. */
export function useEditContact(id: string) {
  const onSuccess = useReadAgain()
  return useMutation({
    mutationFn: ({ field, from, to }: { field: string; from: Value; to: Value }) =>
      call(contactEditsApi.editOffer, { id, body: { changes: { [field]: { from, to } } } }),
    onSuccess,
  })
}

export function useUndoChange(id: string) {
  const onSettled = useReadAgain()
  return useMutation({
    mutationFn: (change: string) => call(contactEditsApi.undoContactChange, { id, change }),
    onSettled,
  })
}

export function useAddContact() {
  const onSuccess = useReadAgain()
  return useMutation({
    mutationFn: (values: Record<string, Value>) => call(contactEditsApi.addOffer, { body: { values } }),
    onSuccess,
  })
}

/** A field's current value, if an edit was refused because it has changed. */
export function conflictOf(error: unknown): ChangedValue | null {
  if (!isApiError(error, 'value_changed') || !Array.isArray(error.details)) return null
  // The route documents a list; a single field was sent.
  return (error.details as ChangedValue[])[0] ?? null
}

/** The other contact that has the dedup key, if the user may see it. */
export function holderOf(error: unknown): string | null {
  if (!isApiError(error, 'key_taken')) return null
  const { contact } = (error.details ?? {}) as { contact?: unknown }
  return typeof contact === 'string' ? contact : null
}
