import { type AccountPreferences, preferencesApi } from '@portico/contract/preferences'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { refreshRights, useAccount } from '#lib/session/session.ts'
import { sessionToken } from '#lib/session/session-store.ts'

const key = ['preferences']

/** Asked again each time the screen opens, as what is saved replaces all that is there. */
export const usePreferences = () =>
  useQuery({
    queryKey: key,
    queryFn: ({ signal }) => call(preferencesApi.getAccountPreference, {}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

/** Returns what the service found wrong, as texts to show; none when all is well. The own menus follow at once. */
export function useSavePreferences() {
  const client = useQueryClient()
  const { id: AccountID } = useAccount()
  return useMutation({
    mutationFn: async (preferences: AccountPreferences): Promise<string[]> => {
      const IdentityToken = sessionToken() ?? ''
      const body = { AccountID, IdentityToken, Preference: JSON.stringify(preferences) }
      const { Result } = await call(preferencesApi.setAccountPreference, { body })
      const { ErrorCode, ErrorMessage, ExceptionMessage } = Result
      const problems = [ErrorMessage, ExceptionMessage].flatMap((text) => (text ? [text] : []))
      if (problems.length === 0 && ErrorCode) return [ErrorCode]
      return problems
    },
    onSuccess: async (problems, preferences) => {
      if (problems.length > 0) return
      client.setQueryData(key, preferences)
      await refreshRights()
    },
  })
}
