import {
  type ChangedRemoteAccess,
  type NewRemoteAccess,
  type RemoteAccess,
  remoteAccessApi,
  type RemoteAccessTrial,
} from '@portico/contract/remote-access'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { fetchCount, fetchPage, type ListInput } from '#lib/api/lists.ts'
import { useMayCall } from '#lib/session/may-call.ts'

const noun = 'remote-accesses'
const pollMs = 2000

/** One page of the list. Polls while an index is being built. */
export const useAccessPage = (input: ListInput) =>
  useQuery({
    queryKey: [noun, 'page', input],
    queryFn: ({ signal }) => fetchPage(remoteAccessApi.listRemoteAccesses, input, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.some(({ index }) => index.state === 'building') ? pollMs : false),
  })

export const useAccessCount = (find: ListInput['find'] = []) =>
  useQuery({
    queryKey: [noun, 'count', find],
    queryFn: ({ signal }) => fetchCount(remoteAccessApi.listRemoteAccesses, find, signal),
    placeholderData: keepPreviousData,
  })

export const useUsage = (id: string) =>
  useQuery({
    queryKey: [noun, 'usage', id],
    queryFn: ({ signal }) => call(remoteAccessApi.getRemoteAccessUsage, { id }, { signal }),
  })

/** The sample site's page of a contact; null if there is none. Requested only for users with the right. */
export function useSamplePage(): string | null {
  const mayAsk = useMayCall(remoteAccessApi.getSamplePage)
  const { data } = useQuery({
    queryKey: [noun, 'sample'],
    queryFn: ({ signal }) => call(remoteAccessApi.getSamplePage, {}, { signal }),
    enabled: mayAsk,
  })
  return data?.url ?? null
}

/** How easily strangers guess values of these columns; requests nothing without columns. */
export const useRating = ([column, column2]: readonly string[]) =>
  useQuery({
    queryKey: ['column-rating', column, column2],
    queryFn: ({ signal }) =>
      call(
        remoteAccessApi.rateColumns,
        { column: column ?? '', ...(column2 !== undefined && { column2 }) },
        { signal },
      ),
    enabled: column !== undefined,
    retry: false,
  })

/** Tries a call as a stranger would make it. */
export const useTrial = () =>
  useMutation({ mutationFn: (body: RemoteAccessTrial) => call(remoteAccessApi.tryRemoteAccess, { body }) })

/** Reloads the list, its count and the usage. */
function useReload() {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: [noun] })
}

export const getAccess = (id: string): Promise<RemoteAccess> => call(remoteAccessApi.getRemoteAccess, { id })
export const createAccess = (body: NewRemoteAccess): Promise<RemoteAccess> =>
  call(remoteAccessApi.createRemoteAccess, { body })
export const updateAccess = (id: string, body: ChangedRemoteAccess): Promise<RemoteAccess> =>
  call(remoteAccessApi.updateRemoteAccess, { id, body })

/** Runs a save, and reloads the list whether it succeeds or not. */
export function useSaveAccess<Input>(save: (input: Input) => Promise<RemoteAccess>) {
  const onSettled = useReload()
  return useMutation({ mutationFn: save, onSettled })
}

export function useDeleteAccess() {
  const onSettled = useReload()
  return useMutation({ mutationFn: (id: string) => call(remoteAccessApi.deleteRemoteAccess, { id }), onSettled })
}
