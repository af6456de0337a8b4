import { isVerifiedSender, type Senders, sendersApi, unverifiedSender } from '@portico/contract/senders'
import { useQuery } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'

export const sendersKey = ['senders']

/** The addresses that the account may send from; loaded again whenever a form or list of them needs them. */
export const useSenders = (isNeeded = true) =>
  useQuery({
    queryKey: sendersKey,
    queryFn: ({ signal }) => call(sendersApi.listSenders, {}, { signal }),
    staleTime: 0,
    enabled: isNeeded,
  })

/** The problem with a sender, and its fix; null while the senders are not loaded, since the server checks as well. */
export function senderProblem(address: string, senders: Senders | undefined): string | null {
  if (!senders || address.trim() === '' || isVerifiedSender(address, senders)) return null
  return unverifiedSender(address.trim())
}
