import { type AccountPreferences, preferencesApi } from '@portico/contract/preferences'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { refreshRights, useAccount } from '#lib/session/session.ts'
import { sessionToken } from '#lib/session/session-store.ts'

const key = ['preferences']

export const getPreferences = (): Promise<AccountPreferences> => call(preferencesApi.getAccountPreference, {})

/** Asked again each time the screen opens, as what is saved replaces all that is there. */
export const usePreferences = () =>
  useQuery({
    queryKey: key,
    queryFn: getPreferences,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

/**
 * Saves preferences, and returns the problems that the service found, as texts to show; none when all is well. The own
 * menus follow at once.
 */
export function useSavePreferences(
  save: (put: (preferences: AccountPreferences) => Promise<string[]>) => Promise<string[]>,
) {
  const { id: AccountID } = useAccount()
  return useMutation({
    mutationFn: () => save((preferences) => sendPreferences(AccountID, preferences)),
    onSuccess: async (problems) => {
      if (problems.length === 0) await refreshRights()
    },
  })
}

async function sendPreferences(AccountID: number, preferences: AccountPreferences): Promise<string[]> {
  const IdentityToken = sessionToken() ?? ''
  const body = { AccountID, IdentityToken, Preference: JSON.stringify(preferences) }
  const { Result } = await call(preferencesApi.setAccountPreference, { body })
  const { ErrorCode, ErrorMessage, ExceptionMessage } = Result
  const problems = [ErrorMessage, ExceptionMessage].flatMap((text) => (text ? [text] : []))
  if (problems.length === 0 && ErrorCode) return [ErrorCode]
  return problems
}
