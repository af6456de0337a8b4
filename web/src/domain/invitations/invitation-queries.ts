import type { ownIdentitiesApi } from '@portico/contract/own-identities'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '#lib/api/api-error.ts'
import { call, type RouteLine } from '#lib/api/api.ts'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'

// As the contract has them. Its table would bring the schema library along with the first load.
type Line<Name extends keyof typeof ownIdentitiesApi> = RouteLine<(typeof ownIdentitiesApi)[Name]>
const lines: { [Name in 'listOwnInvitations' | 'acceptInvitation' | 'declineInvitation']: Line<Name> } = {
  listOwnInvitations: { method: 'GET', path: '/identity/v1/profile/invitations' },
  acceptInvitation: { method: 'POST', path: '/identity/v1/profile/invitations/:id' },
  declineInvitation: { method: 'DELETE', path: '/identity/v1/profile/invitations/:id' },
}

/** The same in each account, like the list of accounts. */
const invitationsKey = ['own invitations']

/** The invitations that wait for an answer, oldest first. */
export const useInvitations = () =>
  useQuery({
    queryKey: invitationsKey,
    queryFn: ({ signal }) => call(lines.listOwnInvitations, {}, { signal }),
    staleTime: 60_000,
  })

/** Accepting an invitation adds an account to those of the person. The notice is gone by then, so the result is shown from here. */
function useAnswer(send: (id: string) => Promise<null>, done: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSuccess: () => notifyDone(done),
    onError: (error) => notifyError(messageOf(error)),
    onSettled: () =>
      Promise.all([invitationsKey, ['accounts']].map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
}

export const useAccept = (place: string) =>
  useAnswer((id) => call(lines.acceptInvitation, { id }), `You can now work in ${place}.`)
export const useDecline = () => useAnswer((id) => call(lines.declineInvitation, { id }), 'The invitation was declined.')
