import { ownAccountApi } from '@portico/contract/own-account'
import { useMutation, useQuery } from '@tanstack/react-query'
import { isApiError } from '#lib/api/api-error.ts'
import { call } from '#lib/api/api.ts'
import { beginSession, signOut } from '#lib/session/session.ts'

/** The person that the link is for; fails with `link_invalid` if it was used, is too old or never existed. */
export const useInvitation = (invitation: string) =>
  useQuery({
    queryKey: ['invitation', invitation],
    queryFn: async ({ signal }) => {
      try {
        return await call(ownAccountApi.readInvitation, { body: { invitation } }, { signal })
      } catch (error) {
        // A text that is too short or too long to be a link is refused as invalid input.
        if (isApiError(error, 'link_invalid', 'invalid_input', 'not_found')) return null
        throw error
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

type Registration = { invitation: string; userName: string; password: string }

/** Sets name and password, and signs in; the person signed in here before is signed out. */
export const useRegister = () =>
  useMutation({
    mutationFn: async (body: Registration) => {
      const signedIn = await call(ownAccountApi.register, { body })
      await signOut()
      await beginSession(signedIn)
    },
  })
