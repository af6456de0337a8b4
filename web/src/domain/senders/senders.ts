import { isSameCaller } from '@portico/contract/email-address'
import { isVerifiedSender, type Senders, sendersApi, unverifiedSender } from '@portico/contract/senders'
import { useQuery } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'

export const sendersKey = ['senders']

/** The addresses that the account may send from; reloaded whenever a form or list needs them. */
export const useSenders = (isNeeded = true) =>
  useQuery({
    queryKey: sendersKey,
    queryFn: ({ signal }) => call(sendersApi.listSenders, {}, { signal }),
    staleTime: 0,
    enabled: isNeeded,
  })

/** The problem with a sender, and its fix; null until the senders are loaded, as the server checks too. */
export function senderProblem(address: string, senders: Senders | undefined): string | null {
  if (!senders || address.trim() === '' || isVerifiedSender(address, senders)) return null
  return unverifiedSender(address.trim())
}

/** Shown at a sender's name if recipients see another: email from the portal's own address has the account's name. */
export const fromNameHint = (address: string, senders: Senders | undefined): string | null =>
  senders && isSameCaller(address.trim(), senders.ownAddress)
    ? "Recipients see the account's name: this is the portal's own address."
    : null
