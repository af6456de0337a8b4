import { type DeleteRecord, type DeleteStatus, deletesApi } from '@portico/contract/deletes'
import type { Stages } from '@portico/contract/filter'
import { matching } from '@portico/domain/pipeline/match-json'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { fetchCount, fetchPage, type ListInput } from '#lib/api/lists.ts'
import { isBeingUndone } from './restore-texts.ts'

const pollMs = 2000

const isRunning = (record: DeleteRecord): boolean => record.status === 'processing' || isBeingUndone(record)

/** One page of the history. Polls while a delete is running or being undone. */
export const useDeletePage = (input: ListInput) =>
  useQuery({
    queryKey: ['deletes', 'page', input],
    queryFn: ({ signal }) => fetchPage(deletesApi.listDeletes, input, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.some(isRunning) ? pollMs : false),
  })

export const useDeleteCount = (status: DeleteStatus | null) =>
  useQuery({
    queryKey: ['deletes', 'count', status],
    queryFn: ({ signal }) => fetchCount(deletesApi.listDeletes, statusStages(status), signal),
    placeholderData: keepPreviousData,
  })

export const statusStages = (status: DeleteStatus | null): Stages => (status === null ? [] : matching({ status }))

/** The first contacts and values that were not restored. */
export const useMissingRecords = (id: string, isEnabled: boolean) =>
  useQuery({
    queryKey: ['deletes', 'missing', id],
    queryFn: ({ signal }) => call(deletesApi.getMissingRecords, { id }, { signal }),
    enabled: isEnabled,
    staleTime: 0,
  })

function useChangedDelete<Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    // Also after an error: its cause may have changed the list, too.
    onSettled: () => Promise.all(['contacts', 'deletes'].map((noun) => client.invalidateQueries({ queryKey: [noun] }))),
  })
}

/** Requests that the server undo a delete. */
export const useUndoDelete = () => useChangedDelete((id: string) => call(deletesApi.restoreDelete, { id }))

/** Erases the data of a delete. The user has confirmed the number of contacts. */
export const useEraseDelete = () =>
  useChangedDelete(({ id, deletedRecords }: { id: string; deletedRecords: number }) =>
    call(deletesApi.eraseDelete, { id, body: { deletedRecords } }),
  )
