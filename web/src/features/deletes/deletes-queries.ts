import { type DeleteStatus, deletesApi } from '@portico/contract/deletes'
import { savedFiltersApi } from '@portico/contract/saved-filters'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { fetchCount, fetchPage, type ListInput } from '#lib/api/lists.ts'

const pollMs = 2000

/** One page of the history; it follows by itself what is being deleted. */
export const useDeletePage = (input: ListInput) =>
  useQuery({
    queryKey: ['deletes', 'page', input],
    queryFn: ({ signal }) => fetchPage(deletesApi.listDeletes, input, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'processing') ? pollMs : false),
  })

export const useDeleteCount = (status: DeleteStatus | null) =>
  useQuery({
    queryKey: ['deletes', 'count', status],
    queryFn: ({ signal }) => fetchCount(deletesApi.listDeletes, statusStages(status), signal),
    placeholderData: keepPreviousData,
  })

export const statusStages = (status: DeleteStatus | null): Record<string, unknown>[] =>
  status === null ? [] : [{ $match: { status } }]

/** Names of saved filters by id, for filters that name one; for those who may see them. */
export const useSavedFilterNames = (isAllowed: boolean) =>
  useQuery({
    queryKey: ['saved filters'],
    queryFn: ({ signal }) => call(savedFiltersApi.listSavedFilters, {}, { signal }),
    enabled: isAllowed,
    retry: false,
  })
