import { type ContactMerge, contactEditsApi } from '@portico/contract/contact-edits'
import { contactsApi } from '@portico/contract/contacts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'

/** Both contacts as they are when they are compared; read once, as the merge names the values that were shown. */
export const useComparedContacts = (kept: string, other: string) =>
  useQuery({
    queryKey: ['merged contacts', kept, other],
    queryFn: async ({ signal }) => {
      const [one, two] = await Promise.all([
        call(contactsApi.getOffer, { id: kept }, { signal }),
        call(contactsApi.getOffer, { id: other }, { signal }),
      ])
      return { kept: one, other: two }
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })

/** Merges another contact into one. */
export function useMergeContacts(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: ContactMerge) => call(contactEditsApi.mergeOffer, { id, body }),
    onSuccess: () => Promise.all(['contacts', 'deletes'].map((noun) => client.invalidateQueries({ queryKey: [noun] }))),
  })
}
