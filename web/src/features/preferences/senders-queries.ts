import { sendersApi } from '@portico/contract/senders'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { sendersKey } from '#domain/senders'
import { isApiError } from '#lib/api/api-error.ts'
import { call } from '#lib/api/api.ts'

export function useRequestSender() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (address: string) => call(sendersApi.requestSender, { body: { address } }),
    onSuccess: () => client.invalidateQueries({ queryKey: sendersKey }),
  })
}

export function useRemoveSender() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call(sendersApi.removeSender, { id }),
    onSettled: () => client.invalidateQueries({ queryKey: sendersKey }),
  })
}

/** The request that a link asks its recipient to confirm; null if it was used, has expired or never existed. */
export const useSenderLink = (link: string) =>
  useQuery({
    queryKey: ['sender link', link],
    queryFn: async ({ signal }) => {
      try {
        return await call(sendersApi.readSenderLink, { body: { link } }, { signal })
      } catch (error) {
        // A text that is too short or too long to be a link is refused as invalid input.
        if (isApiError(error, 'link_invalid', 'invalid_input')) return null
        throw error
      }
    },
    enabled: link !== '',
    staleTime: Number.POSITIVE_INFINITY,
  })

export const useConfirmSender = (link: string) =>
  useMutation({ mutationFn: () => call(sendersApi.confirmSender, { body: { link } }) })
