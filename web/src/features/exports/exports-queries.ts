import { contactsApi } from '@portico/contract/contacts'
import { type Export, exportsApi, type NewExport } from '@portico/contract/exports'
import type { Stages } from '@portico/contract/filter'
import { type NotificationInput, notificationsApi } from '@portico/contract/notifications'
import { savedFiltersApi } from '@portico/contract/saved-filters'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api.ts'
import { pollWhileRunning } from '#lib/jobs.ts'
import { fetchCount, fetchPage, type ListInput } from '#lib/lists.ts'
import { useLiveList } from '#lib/live-list.ts'

/** One page of exports; it follows by itself what is running on it. */
export function useExportPage(input: ListInput) {
  const isLive = useLiveList('exports')
  return useQuery({
    queryKey: ['exports', 'page', input],
    queryFn: ({ signal }) => fetchPage(exportsApi.listExports, input, signal),
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? false : pollWhileRunning,
  })
}

export const useExportCount = (find: NonNullable<ListInput['find']>) =>
  useQuery({
    queryKey: ['exports', 'count', find],
    queryFn: ({ signal }) => fetchCount(exportsApi.listExports, find, signal),
    placeholderData: keepPreviousData,
  })

/** How many contacts stages find. A question that was overtaken by the next is taken back from the server. */
export const useMatchingCount = (find: Stages) =>
  useQuery({
    queryKey: ['contacts', 'count', find],
    queryFn: ({ signal }) => fetchCount(contactsApi.listOffers, find, signal),
  })

/** What a saved filter is called. */
export const useSavedFilterName = (id: string | null) =>
  useQuery({
    queryKey: ['saved-filters', 'one', id],
    queryFn: async ({ signal }) => (await call(savedFiltersApi.getSavedFilter, { id: id ?? '' }, { signal })).name,
    enabled: id !== null,
  })

/** Really connects, and tells what happened. */
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
      call(exportsApi.getDownload, { file: `${_id}.${shouldZip ? 'zip' : delimiter === 'csv' ? 'csv' : 'txt'}` }),
  })

/** How the deliveries of an export go; asked again while one of them is under way. */
export const useDeliveries = (id: string) =>
  useQuery({
    queryKey: ['exports', 'deliveries', id],
    queryFn: ({ signal }) => call(notificationsApi.listDeliveries, { id }, { signal }),
    refetchInterval: pollWhileRunning,
  })

export function useResend(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (delivery: string) => call(notificationsApi.resendDelivery, { id, delivery }),
    onSettled: () => client.invalidateQueries({ queryKey: ['exports'] }),
  })
}
