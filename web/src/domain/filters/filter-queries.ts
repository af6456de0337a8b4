import { contactsApi } from '@portico/contract/contacts'
import { filterSettingsApi } from '@portico/contract/filter-settings'
import { choosesContacts } from '@portico/domain/pipeline/search-rows'
import { type Pipeline, unwindEvents } from '@portico/domain/pipeline/pipeline'
import { formatPipeline, parsePipelineText, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { indexesApi } from '@portico/contract/indexes'
import { type SavedFilter, savedFiltersApi } from '@portico/contract/saved-filters'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Editing } from '#domain/editing'
import { call } from '#lib/api/api.ts'
import { messageOf, isApiError } from '#lib/api/api-error.ts'
import { fetchCount, fetchPage } from '#lib/api/lists.ts'
import { askForFeature, useMayCall } from '#lib/session/may-call.ts'
import { eventFieldName } from './stages/filter.ts'

// Each query checks the right that it needs, and requests nothing without it.

const typingPauseMs = 400

/**
 * Number of contacts that the stages find. Debounced, and aborted as soon as the stages change. Null requests nothing.
 */
export function useMatchingCount(stages: Pipeline | null) {
  const text = stages === null ? null : formatPipeline(stages)
  const [settled] = useDebouncedValue(text, typingPauseMs)
  const isSettled = text !== null && settled === text
  const isAllowed = useMayCall(contactsApi.listOffers)
  const query = useQuery({
    // The first change leaves the old stages without an observer, which aborts their request.
    queryKey: ['contacts', 'matching', isSettled ? text : null],
    queryFn: ({ signal }) => fetchCount(contactsApi.listOffers, writePipeline(stages ?? []), signal),
    enabled: isAllowed && isSettled,
    retry: false,
  })
  return { ...query, isAllowed, isSettled }
}

const firstRows = 5

/** The first rows of the stages, for administrators; null requests nothing. */
export const useFilterResult = (stages: Pipeline | null) =>
  useQuery({
    queryKey: ['contacts', 'filter result', stages],
    queryFn: ({ signal }) =>
      stages && !choosesContacts(stages)
        ? call(contactsApi.listOffers, { aggregate: formatPipeline(stages), limit: firstRows }, { signal })
        : fetchPage(contactsApi.listOffers, { find: writePipeline(stages ?? []), pageSize: firstRows }, signal),
    enabled: useMayCall(contactsApi.listOffers) && stages !== null,
    retry: false,
  })

const longMs = 5 * 60_000
const shownValues = 100

/** The first values of a field of events, sorted, as suggestions. */
export const useEventValues = (field: string, isWanted: boolean) =>
  useQuery({
    queryKey: ['contacts', 'event values', field],
    queryFn: async ({ signal }) => {
      const aggregate = formatPipeline([
        unwindEvents,
        {
          kind: 'group',
          keys: [{ kind: 'field', name: 'value', field: eventFieldName(field), part: null }],
          isNamed: true,
          values: [],
        },
        { kind: 'sort', order: { value: 1 } },
        { kind: 'limit', rows: shownValues },
      ])
      // Without `count` the reply is the list.
      const rows = (await call(contactsApi.listOffers, { aggregate }, { signal })) as Record<string, unknown>[]
      return rows.flatMap(({ value }) => (typeof value === 'string' && value !== '' ? [value] : []))
    },
    enabled: useMayCall(contactsApi.listOffers) && isWanted,
    staleTime: longMs,
    retry: false,
  })

const savedFilters = ['saved filters']

export const useSavedFilters = () =>
  useQuery({
    queryKey: savedFilters,
    queryFn: ({ signal }) => call(savedFiltersApi.listSavedFilters, {}, { signal }),
    enabled: useMayCall(savedFiltersApi.listSavedFilters),
  })

/** Returns why saved filters are not shown. */
export const needsSavedFilters = `Predefined filters need the feature contact-rdls-list. ${askForFeature}`

/** A saved filter with its stages, or `problem`: why it is missing, as a sentence for users. Null requests nothing. */
export function useSavedFilter(id: string | null) {
  const isAllowed = useMayCall(savedFiltersApi.getSavedFilter)
  const { data, error } = useQuery({
    queryKey: [...savedFilters, id],
    queryFn: async ({ signal }) => {
      const saved = await call(savedFiltersApi.getSavedFilter, { id: id ?? '' }, { signal })
      return { ...saved, stages: parsePipelineText(saved.aggregateQuery) }
    },
    enabled: isAllowed && id !== null,
    retry: false,
  })
  const problem = id === null || isAllowed ? error && describe(error) : needsSavedFilters
  return { data, problem }
}

const describe = (error: unknown): string =>
  isApiError(error, 'not_found') ? 'The saved filter could not be found.' : messageOf(error)

type SavedFilterDraft = { name: string; aggregateQuery: string; showInSubaccounts: boolean }

export const getSavedFilter = (id: string): Promise<SavedFilter> => call(savedFiltersApi.getSavedFilter, { id })

/** Creates a saved filter, or updates the one that `save` passes. */
export function useSaveFilter(save: Editing<SavedFilter>['save']) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: SavedFilterDraft) =>
      save((over) =>
        over
          ? call(savedFiltersApi.updateSavedFilter, { id: over._id, body: { ...body, version: over.version } })
          : call(savedFiltersApi.createSavedFilter, { body }),
      ),
    // Its results may have changed too.
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: savedFilters }),
        client.invalidateQueries({ queryKey: ['contacts', 'matching'] }),
      ]),
  })
}

export function useDeleteFilter() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call(savedFiltersApi.deleteSavedFilter, { id }),
    // Only the list: a request for the deleted filter would fail.
    onSuccess: () => client.invalidateQueries({ queryKey: savedFilters, exact: true }),
  })
}

/** Whether the account allows indexed fields only; null until known. A failed request counts as no. */
export function useOnlyIndexedFields(isWanted: boolean): boolean | null {
  const settings = useQuery({
    queryKey: ['filter settings'],
    queryFn: ({ signal }) => call(filterSettingsApi.getFilterSettings, {}, { signal }),
    enabled: useMayCall(filterSettingsApi.getFilterSettings) && isWanted,
    retry: false,
  })
  return settings.isError ? false : (settings.data?.onlyIndexedFields ?? null)
}

/** Build time, in seconds, and size of an index of the field. */
export const useIndexEstimate = (field: string, isWanted: boolean) =>
  useQuery({
    queryKey: ['indexes', 'estimate', field],
    queryFn: ({ signal }) => call(indexesApi.estimateIndex, { field }, { signal }),
    enabled: useMayCall(indexesApi.estimateIndex) && isWanted,
    retry: false,
  })

const pollMs = 2000

/** Whether a field has an index, and whether one can be built quickly; polls while it is being built. */
export const useFieldIndex = (field: string) =>
  useQuery({
    queryKey: ['indexes', 'field', field],
    queryFn: ({ signal }) => call(indexesApi.getFieldIndex, { field }, { signal }),
    enabled: useMayCall(indexesApi.getFieldIndex),
    refetchInterval: (query) => (query.state.data?.state === 'building' ? pollMs : false),
    retry: false,
  })

/** Progress or failure of the index of one field. */
export const useIndexDetails = (field: string, isWanted: boolean) =>
  useQuery({
    queryKey: ['indexes', 'details'],
    queryFn: ({ signal }) => call(indexesApi.listIndexDetails, {}, { signal }),
    enabled: useMayCall(indexesApi.listIndexDetails) && isWanted,
    select: (indexes) => indexes.find(({ fieldName1, fieldName2 }) => fieldName1 === field && fieldName2 === null),
    refetchInterval: (query) => (query.state.data?.some(({ state }) => state === 'building') ? pollMs : false),
  })

export function useCreateIndex() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (field: string) => call(indexesApi.createIndex, { body: { key: [[field, 1]] } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['indexes'] }),
  })
}
