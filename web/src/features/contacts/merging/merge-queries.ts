import { type ContactMerge, contactEditsApi } from '@portico/contract/contact-edits'
import { contactsApi, type Field, type Offer } from '@portico/contract/contacts'
import { matching } from '@portico/domain/pipeline/match-json'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { fetchPage } from '#lib/api/lists.ts'

/** More contacts with one value can be distinguished in Search & Analyze. */
export const mostFound = 10

/** The value that contacts are looked up by: a PURL, an id, or the value of a field. */
export type Wanted = { by: string; text: string }

/** Names of what every contact can be looked up by. */
export const purlName = 'purl'
export const idName = '_id'

/** The condition on a field; null where no contact can have the text as its value. */
export function conditionOf({ by, text }: Wanted, fields: readonly Field[]): Record<string, unknown> | null {
  const value = text.trim()
  if (value === '') return null
  if (by === purlName) return { [purlName]: value.toLowerCase() }
  if (by === idName) return /^\d{1,18}$/.test(value) ? { [idName]: value } : null
  const field = fields.find(({ name }) => name === by)
  if (field?.type === 'number') return Number.isFinite(Number(value)) ? { [by]: Number(value) } : null
  const escaped = value.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return { [by]: { $regex: `^${escaped}$`, $options: 'i' } }
}

/** The contacts that have a value, without one of them; null requests nothing. */
export const useFoundContacts = (condition: Record<string, unknown> | null, except: string) =>
  useQuery({
    queryKey: ['contacts', 'to merge', condition, except],
    queryFn: async ({ signal }): Promise<Offer[]> => {
      const input = { find: matching(condition ?? {}), sort: null, page: 1, pageSize: mostFound + 1 }
      const found = await fetchPage(contactsApi.listOffers, input, signal)
      return found.filter(({ _id }) => _id !== except).slice(0, mostFound)
    },
    enabled: condition !== null,
    staleTime: 0,
  })

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
