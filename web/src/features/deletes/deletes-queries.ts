import { type DeleteStatus, deletesApi } from '@portico/contract/deletes'
import type { Stages } from '@portico/contract/filter'
import { matching } from '@portico/domain/pipeline/match-json'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { fetchCount, fetchPage, type ListInput } from '#lib/api/lists.ts'

const pollMs = 2000

/** One page of the history. Polls while a delete is running. */
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

export const statusStages = (status: DeleteStatus | null): Stages => (status === null ? [] : matching({ status }))
