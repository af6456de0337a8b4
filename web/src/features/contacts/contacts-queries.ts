import { contactsApi, type Offer } from '@portico/contract/contacts'
import { deletesApi, type NewDelete } from '@portico/contract/deletes'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { readSearchKind } from '@portico/domain/pipeline/search-rows'
import { importsApi } from '@portico/contract/imports'
import { indexesApi, type WordIndex } from '@portico/contract/indexes'
import {
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { countRows, type Event, fetchRows, type RowsWanted } from '#domain/results'
import { call } from '#lib/api/api.ts'
import { fetchCount, fetchCountedPage } from '#lib/api/lists.ts'

/** A page of the results, and their total number; null if counting takes longer and is requested separately. */
type Results = { rows: Offer[]; count: number | null }

async function fetchResults(input: RowsWanted, signal: AbortSignal): Promise<Results> {
  if (readSearchKind(input.stages) !== 'contacts') return { rows: await fetchRows(input, signal), count: null }
  return fetchCountedPage(contactsApi.listOffers, { ...input, find: writePipeline(input.stages) }, signal)
}

async function countResults(stages: Pipeline, signal: AbortSignal): Promise<number> {
  return readSearchKind(stages) === 'contacts'
    ? fetchCount(contactsApi.listOffers, writePipeline(stages), signal)
    : countRows(stages, signal)
}

/** One page of the results; null requests nothing. */
const useResults = (input: RowsWanted | null) =>
  useQuery({
    queryKey: ['contacts', 'page', input],
    queryFn: ({ signal }) => (input === null ? { rows: [], count: null } : fetchResults(input, signal)),
    placeholderData: keepPreviousData,
    enabled: input !== null,
  })

/** Number of results; null requests nothing. */
const useResultCount = (stages: Pipeline | null) =>
  useQuery({
    queryKey: ['contacts', 'count', stages],
    queryFn: ({ signal }) => countResults(stages ?? [], signal),
    enabled: stages !== null,
  })

/**
 * A page of the results and their total number, or (without a page) the number alone. Null requests nothing. The count
 * arrives with the page, or later in a request of its own if it takes longer.
 */
export function useCountedResults(stages: Pipeline | null, wanted: Omit<RowsWanted, 'stages'> | null) {
  const page = useResults(stages && wanted && { stages, ...wanted })
  const beside = wanted === null ? null : page.data?.count
  const count = useResultCount(beside === null && !(wanted && page.isPlaceholderData) ? stages : null)
  return {
    page,
    // A count that failed shows 0 (specification 4 §4).
    total: page.isError || count.isError ? 0 : (beside ?? count.data),
    problem: page.error ?? count.error,
    onRetry: () => void (page.isError ? page : count).refetch(),
  }
}

/** Maximum number of groups shown: more are unreadable, in a table or a chart. */
export const groupsAtMost = 1000

/** All rows of a grouping; null requests nothing. */
export const useGroups = (input: Pick<RowsWanted, 'stages' | 'sort'> | null) =>
  useQuery({
    queryKey: ['contacts', 'groups', input],
    queryFn: ({ signal }) => (input === null ? [] : fetchRows({ ...input, page: 1, pageSize: groupsAtMost }, signal)),
    placeholderData: keepPreviousData,
    enabled: input !== null,
  })

const indexPollMs = 2000

/**
 * State of the full-text index that a search needs; null requests nothing. Polls while it is being built, then repeats
 * the searches, including those still running, which are fast with the index.
 */
export function useWordIndex(stages: Pipeline | null) {
  const client = useQueryClient()
  const queryKey = ['indexes', 'words', stages]
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const before = client.getQueryData<WordIndex>(queryKey)
      const index = await call(indexesApi.getWordIndex, {}, { signal })
      if (before?.state === 'building' && index.state !== 'building') void searchAgain(client)
      return index
    },
    enabled: stages !== null,
    refetchInterval: (query) => (query.state.data?.state === 'building' ? indexPollMs : false),
  })
}

async function searchAgain(client: QueryClient): Promise<void> {
  await client.cancelQueries({ queryKey: ['contacts'] })
  await client.invalidateQueries({ queryKey: ['contacts'] })
}

// New events of a visitor appear while the page is open, at little cost.
const eventsPollMs = 5000

/**
 * One contact with all its fields and events; fetched once, however often its row is opened. `isLive`: fetched again
 * every few seconds while the page is visible, as events may arrive.
 */
export const useContact = (id: string, { isLive = false } = {}) =>
  useQuery({
    queryKey: ['contacts', 'one', id],
    queryFn: ({ signal }) => call(contactsApi.getOffer, { id }, { signal }),
    staleTime: isLive ? 0 : Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (isLive && state.status === 'success' ? eventsPollMs : false),
  })

const olderEventsAtOnce = 100

/** Events of a contact older than those loaded with it. Read again when new events arrive, as these shift the pages. */
export const useOlderEvents = (id: string, newest: readonly Event[], isWanted: boolean) =>
  useInfiniteQuery({
    queryKey: ['contacts', 'older events', id, newest.length, newest[0]?.['event_date']],
    queryFn: ({ pageParam, signal }) =>
      call(
        contactsApi.listContactEvents,
        { id, skip: newest.length + pageParam, limit: olderEventsAtOnce },
        { signal },
      ),
    initialPageParam: 0,
    // A page of large events has fewer than requested; the last page is empty.
    getNextPageParam: (last, pages) => (last.length === 0 ? null : pages.flat().length),
    select: ({ pages }): Event[] => pages.flat(),
    placeholderData: keepPreviousData,
    enabled: isWanted,
  })

/** The import that created a contact, and the line of its file; null requests nothing. */
export const useOrigin = (origin: { importId: string; contact: string } | null) =>
  useQuery({
    queryKey: ['imports', 'origin', origin],
    queryFn: ({ signal }) => fetchOrigin(origin?.importId ?? '', origin?.contact ?? '', signal),
    enabled: origin !== null,
    retry: false,
  })

async function fetchOrigin(id: string, contact: string, signal: AbortSignal) {
  const [source, { line }] = await Promise.all([
    call(importsApi.getImport, { id }, { signal }),
    call(importsApi.getContactLine, { id, contact }, { signal }),
  ])
  return { ...source, line }
}

/** Deletes the contacts that a filter finds. The user has confirmed their number. */
export function useDeleteResults() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewDelete) => call(deletesApi.deleteOffers, { body }),
    onSettled: () => Promise.all(['contacts', 'deletes'].map((noun) => client.invalidateQueries({ queryKey: [noun] }))),
  })
}
