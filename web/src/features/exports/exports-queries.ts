import { contactsApi } from '@portico/contract/contacts'
import { type Export, exportsApi, type NewExport } from '@portico/contract/exports'
import type { Stages } from '@portico/contract/filter'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api.ts'
import { pollWhileRunning } from '#lib/jobs.ts'
import { fetchCount, fetchPage, type ListInput } from '#lib/lists.ts'

/** One page of exports; it follows by itself what is running on it. */
export const useExportPage = (input: ListInput) =>
  useQuery({
    queryKey: ['exports', 'page', input],
    queryFn: ({ signal }) => fetchPage(exportsApi.listExports, input, signal),
    placeholderData: keepPreviousData,
    refetchInterval: pollWhileRunning,
  })

export const useExportCount = (find: NonNullable<ListInput['find']>) =>
  useQuery({
    queryKey: ['exports', 'count', find],
    queryFn: ({ signal }) => fetchCount(exportsApi.listExports, find, signal),
    placeholderData: keepPreviousData,
  })

/** How many contacts stages find. A question that was overtaken by the next is taken back from the server. */
export const useMatchingCount = (find: Stages | null) =>
  useQuery({
    queryKey: ['contacts', 'count', find],
    queryFn: ({ signal }) => fetchCount(contactsApi.listOffers, find ?? [], signal),
    placeholderData: keepPreviousData,
    enabled: find !== null,
  })

export function useCreateExport() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewExport) => call(exportsApi.createExport, { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['exports'] }),
  })
}

export function useCancelExport() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call(exportsApi.cancelExport, { id, body: { cancel: true } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['exports'] }),
  })
}

/** Fetches a link to the file of a finished export. */
export const useDownloadLink = () =>
  useMutation({
    mutationFn: ({ _id, delimiter }: Export) =>
      call(exportsApi.getDownload, { file: `${_id}.${delimiter === 'csv' ? 'csv' : 'txt'}` }),
  })
