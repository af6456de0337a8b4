import type { ownIdentitiesApi } from '@portico/contract/own-identities'
import { useQuery } from '@tanstack/react-query'
import { call, type RouteLine } from '#lib/api/api.ts'

// As the contract has it. Its table would bring the schema library along with the first load.
const listOwnInvitations: RouteLine<(typeof ownIdentitiesApi)['listOwnInvitations']> = {
  method: 'GET',
  path: '/identity/v1/profile/invitations',
}

/** The same in each account, like the list of accounts. */
export const invitationsKey = ['own invitations']

/** The invitations that wait for an answer, oldest first. */
export const useInvitations = () =>
  useQuery({
    queryKey: invitationsKey,
    queryFn: ({ signal }) => call(listOwnInvitations, {}, { signal }),
    staleTime: 60_000,
  })
