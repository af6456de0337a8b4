import { impersonationApi } from '@portico/contract/impersonation'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { type LinkRequest, policyList } from './impersonation-rules.ts'

const links = ['impersonations']

/** The links that still work; polled, as they expire and are used. */
export const useLinks = () =>
  useQuery({
    queryKey: links,
    queryFn: ({ signal }) => call(impersonationApi.listImpersonations, {}, { signal }),
    refetchInterval: 30_000,
  })

/** Returns the token of a new link. */
export function useMakeLink() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (request: LinkRequest): Promise<string> => {
      const { ip, hours } = request
      const params = { ip, expirySeconds: hours * 3600 }
      const policies = policyList(request)
      const reply =
        policies === null
          ? await call(impersonationApi.impersonate, params)
          : await call(impersonationApi.impersonateWithPolicies, { ...params, policies })
      // The reply is not validated here: an older service or another product's may omit the token.
      const token = (reply as Partial<typeof reply> | null)?.token
      if (!token) throw new Error('No token could be found!')
      return token
    },
    onSettled: () => client.invalidateQueries({ queryKey: links }),
  })
}

export function useRevokeLink() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call(impersonationApi.revokeImpersonation, { id }),
    onSettled: () => client.invalidateQueries({ queryKey: links }),
  })
}
