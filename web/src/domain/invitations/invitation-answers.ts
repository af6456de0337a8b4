import { ownIdentitiesApi } from '@portico/contract/own-identities'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '#lib/api/api-error.ts'
import { call } from '#lib/api/api.ts'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { invitationsKey } from './invitation-queries.ts'

/** Accepting an invitation adds an account to the person's. The result is shown here, as the notice is gone by then. */
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
  useAnswer((id) => call(ownIdentitiesApi.acceptInvitation, { id }), `You can now work in ${place}.`)
export const useDecline = () =>
  useAnswer((id) => call(ownIdentitiesApi.declineInvitation, { id }), 'The invitation was declined.')
