import { contactsApi } from '@portico/contract/contacts'
import { type Export, exportsApi, fileEnding, type NewExport } from '@portico/contract/exports'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { type NotificationInput, notificationsApi } from '@portico/contract/notifications'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { readRowKind } from '@portico/domain/pipeline/grouping'
import { pollWhileRunning } from '#domain/job-lists'
import { countRows } from '#domain/results'
import { call } from '#lib/api/api.ts'
import { fetchCount, fetchPage, type ListInput } from '#lib/api/lists.ts'
import { useMayCall } from '#lib/session/may-call.ts'

/** One page of exports. `isLive`: it is reloaded whenever one of them changes, and need not be polled. */
export const useExportPage = (input: ListInput, isLive: boolean) =>
  useQuery({
    queryKey: ['exports', 'page', input],
    queryFn: ({ signal }) => fetchPage(exportsApi.listExports, input, signal),
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? false : pollWhileRunning,
  })

export const useExportCount = (find: NonNullable<ListInput['find']>) =>
  useQuery({
    queryKey: ['exports', 'count', find],
    queryFn: ({ signal }) => fetchCount(exportsApi.listExports, find, signal),
    placeholderData: keepPreviousData,
  })

/**
 * The number of contacts that stages find, or of the groups or rows of events they produce; null requests nothing. A
 * request superseded by the next is aborted.
 */
export const useMatchingCount = (stages: Pipeline | null) =>
  useQuery({
    queryKey: ['contacts', 'count', stages],
    queryFn: ({ signal }) => countMatching(stages ?? [], signal),
    enabled: useMayCall(contactsApi.listOffers) && stages !== null,
  })

const countMatching = (stages: Pipeline, signal: AbortSignal): Promise<number> =>
  readRowKind(stages) === 'contacts'
    ? fetchCount(contactsApi.listOffers, writePipeline(stages), signal)
    : countRows(stages, signal)

/** Actually connects, and reports the result. */
export const useTestNotification = () =>
  useMutation({
    mutationFn: (notification: NotificationInput) =>
      call(notificationsApi.testNotification, { body: { notification } }),
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
    mutationFn: ({ _id, delimiter, shouldZip }: Export) =>
      call(exportsApi.getDownload, {
        file: `${_id}${shouldZip ? '.zip' : fileEnding(delimiter)}`,
      }),
  })

/** The marks of changes cover the newest exports only; an older one that is sent again is polled at this interval. */
const olderPollMs = 20_000

/** Deliveries of an export; polled while one of them is running, less often when the list is live. */
export const useDeliveries = (id: string, isLive: boolean) =>
  useQuery({
    queryKey: ['exports', 'deliveries', id],
    queryFn: ({ signal }) => call(notificationsApi.listDeliveries, { id }, { signal }),
    refetchInterval: (query) => pollWhileRunning(query) && (isLive ? olderPollMs : pollWhileRunning(query)),
  })

export function useResend(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (delivery: string) => call(notificationsApi.resendDelivery, { id, delivery }),
    onSettled: () => client.invalidateQueries({ queryKey: ['exports'] }),
  })
}
