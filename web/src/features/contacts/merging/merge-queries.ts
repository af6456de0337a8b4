import { type ContactMerge, contactEditsApi } from '@portico/contract/contact-edits'
import { contactsApi } from '@portico/contract/contacts'
import { deletesApi } from '@portico/contract/deletes'
import { matching } from '@portico/domain/pipeline/match-json'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '#lib/api/api-error.ts'
import { call } from '#lib/api/api.ts'
import { fetchPage } from '#lib/api/lists.ts'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'

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

const lookEveryMs = 1_000
// Imports before it may take longer; then the list of deletes tells.
const mostLooks = 60

/** Returns a function that undoes a merge, by the id of its delete, and says how it ended. Works after its dialog has closed. */
export function useUndoMerge() {
  const client = useQueryClient()
  const refresh = () => {
    for (const noun of ['contacts', 'deletes']) void client.invalidateQueries({ queryKey: [noun] })
  }
  return async (id: string): Promise<void> => {
    try {
      await call(deletesApi.restoreDelete, { id })
      notifyDone('The merge is being undone.')
      for (let look = 0; look < mostLooks; look++) {
        await new Promise((resolve) => {
          window.setTimeout(resolve, lookEveryMs)
        })
        const [record] = await fetchPage(deletesApi.listDeletes, { pageSize: 1, find: matching({ _id: id }) })
        const { restore } = record ?? {}
        if (restore?.status === 'waiting' || restore?.status === 'processing') continue
        if (restore?.status === 'completed' && restore.missingRecords === 0) notifyDone('The merge was undone.')
        else notifyError('The merge could not be undone. Deletes says why.')
        break
      }
    } catch (error) {
      notifyError(messageOf(error))
    } finally {
      refresh()
    }
  }
}
