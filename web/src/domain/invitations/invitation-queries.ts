import type { ownIdentitiesApi } from '@portico/contract/own-identities'
import { useQuery } from '@tanstack/react-query'
import { call, type RouteLine } from '#lib/api/api.ts'

// As the contract has it. Importing its table would add the schema library to the first load.
const listOwnInvitations: RouteLine<(typeof ownIdentitiesApi)['listOwnInvitations']> = {
  method: 'GET',
  path: '/identity/v1/profile/invitations',
}

/** The same in each account, like the list of accounts. */
export const invitationsKey = ['own invitations']

/** The invitations without a response, oldest first. */
export const useInvitations = () =>
  useQuery({
    queryKey: invitationsKey,
    queryFn: ({ signal }) => call(listOwnInvitations, {}, { signal }),
    staleTime: 60_000,
  })
