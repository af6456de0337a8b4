import { contactsApi } from '@portico/contract/contacts'
import { savedFiltersApi } from '@portico/contract/saved-filters'
import { type SegmentEntry, segmentsApi } from '@portico/contract/segments'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { fetchPage } from '#lib/api/lists.ts'
import { useMayCall } from '#lib/session/may-call.ts'

// Keys begin with that of saved filters: a save of one reloads its segment too.
const segments = ['saved filters', 'segments']

export const useSegments = () =>
  useQuery({ queryKey: segments, queryFn: ({ signal }) => call(segmentsApi.listSegments, {}, { signal }) })

/** One segment, and what uses it. */
export const useSegment = (id: string) =>
  useQuery({
    queryKey: [...segments, 'one', id],
    queryFn: ({ signal }) => call(segmentsApi.getSegment, { id }, { signal }),
    retry: false,
  })

export const peopleShown = 10

/** The first people of a segment. */
export const useSegmentPeople = (stages: Pipeline) =>
  useQuery({
    queryKey: [...segments, 'people', stages],
    queryFn: ({ signal }) =>
      fetchPage(contactsApi.listOffers, { find: writePipeline(stages), pageSize: peopleShown }, signal),
    retry: false,
  })

/** The versions of a segment as of its current one. */
export const useVersions = (id: string, current: number) =>
  useQuery({
    queryKey: [...segments, 'versions', id, current],
    queryFn: ({ signal }) => call(savedFiltersApi.listFilterVersions, { id }, { signal }),
  })

/** Saves an earlier version as the newest, over the version that the page shows: one saved since is not undone unnoticed. */
export function useRestoreVersion(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ version, over }: { version: number; over: number }) => {
      const { name, aggregateQuery, showInSubaccounts } = await call(savedFiltersApi.getFilterVersion, { id, version })
      const body = { name, aggregateQuery, showInSubaccounts, version: over }
      return call(savedFiltersApi.updateSavedFilter, { id, body })
    },
    // Also after a save of another person, which the page then shows.
    onSettled: () => client.invalidateQueries({ queryKey: ['saved filters'] }),
  })
}

const freshMs = 60_000

/** The number of contacts now, among those that the user may see; requests nothing for users who may not search. */
export const useSegmentCount = (id: string) =>
  useQuery({
    queryKey: [...segments, 'count', id],
    queryFn: async ({ signal }) => (await call(segmentsApi.countSegment, { id }, { signal })).count,
    enabled: useMayCall(contactsApi.listOffers),
    staleTime: freshMs,
    retry: false,
  })

/** How the people of two segments overlap, among the contacts that the user may see. */
export const useComparison = (id: string, other: string) =>
  useQuery({
    queryKey: [...segments, 'comparison', id, other],
    queryFn: ({ signal }) => call(segmentsApi.compareSegments, { id, with: other }, { signal }),
    staleTime: freshMs,
    retry: false,
  })

/** Why a contact is in a segment or not, as of its current version, and the contact. */
export const useMembership = ({ _id: id, version }: Pick<SegmentEntry, '_id' | 'version'>, contact: string) =>
  useQuery({
    queryKey: [...segments, 'membership', id, version, contact],
    queryFn: async ({ signal }) => {
      const [membership, offer] = await Promise.all([
        call(segmentsApi.explainMembership, { id, contact }, { signal }),
        call(contactsApi.getOffer, { id: contact }, { signal }),
      ])
      return { membership, offer }
    },
    retry: false,
  })

export function useMarkFavourite() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ _id, isFavourite }: Pick<SegmentEntry, '_id' | 'isFavourite'>) =>
      call(segmentsApi.setFavouriteSegment, { id: _id, body: { isFavourite } }),
    onSettled: () => client.invalidateQueries({ queryKey: segments, exact: true }),
  })
}

/** Reloads the list after a segment was deleted. */
export function useReloadSegments(): () => void {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: segments, exact: true })
}
