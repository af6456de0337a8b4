import { type AccountPreferences, preferencesApi } from '@portico/contract/preferences'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { refreshRights, useAccount } from '#lib/session/session.ts'
import { sessionToken } from '#lib/session/session-store.ts'

const key = ['preferences']

export const getPreferences = (): Promise<AccountPreferences> => call(preferencesApi.getAccountPreference, {})

/** Requested each time the screen opens, because saving replaces all stored preferences. */
export const usePreferences = () =>
  useQuery({
    queryKey: key,
    queryFn: getPreferences,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

/** Saves preferences. The user's own menus follow at once. */
export function useSavePreferences(save: (put: (preferences: AccountPreferences) => Promise<void>) => Promise<void>) {
  const { id: AccountID } = useAccount()
  return useMutation({
    mutationFn: () => save((preferences) => sendPreferences(AccountID, preferences)),
    onSuccess: () => refreshRights(),
  })
}

/** @throws Error with the problems that the service found, one per line */
async function sendPreferences(AccountID: number, preferences: AccountPreferences): Promise<void> {
  const IdentityToken = sessionToken() ?? ''
  const body = { AccountID, IdentityToken, Preference: JSON.stringify(preferences) }
  const { ErrorCode, ErrorMessage, ExceptionMessage } = (await call(preferencesApi.setAccountPreference, { body }))
    .Result
  const problem = [ErrorMessage, ExceptionMessage].filter(Boolean).join('\n') || ErrorCode
  if (problem) throw new Error(problem)
}
