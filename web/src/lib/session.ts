import type { Feature } from '@portico/contract/features'
import type { AccountEntry, AccountId, User } from '@portico/contract/identity'
import { type Query, queryOptions, useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { ApiError, isApiError, messageOf } from './api-error.ts'
import { call } from './api.ts'
import { identityRoutes } from './identity-routes.ts'
import { queryClient } from './query-client.ts'
import { currentSession, endSession, keptSession, onSessionChange, type Session, setSession } from './session-store.ts'

const accountsQuery = queryOptions({
  queryKey: ['accounts'],
  queryFn: async ({ signal }) => byName(await call(identityRoutes.listAccounts, {}, { signal })),
  staleTime: 5 * 60_000,
})

export const useSession = (): Session => useSyncExternalStore(onSessionChange, currentSession)

/** The signed-in user, with what they may do in the tab's account. Only below the signed-in shell. */
export function useUser(): User {
  const session = useSession()
  if (session.state !== 'in') throw new Error('useUser() needs a chosen account')
  return session.user
}

/** Whether the user holds the feature in the tab's account. It shows or hides; the server decides. */
export const useCan = (feature: Feature): boolean => useUser().policies.includes(feature)

/** The account this tab works in. The name is empty until the list of accounts is there. */
export function useAccount(): { id: AccountId; name: string } {
  const session = useSession()
  const accounts = useAccounts()
  if (session.state !== 'in') throw new Error('useAccount() needs a chosen account')
  const entry = accounts.data?.find(({ Key }) => Key === session.account)
  return { id: session.account, name: entry?.Value ?? '' }
}

/** The accounts the person may enter, sorted by name. */
export const useAccounts = () => useQuery(accountsQuery)

/** Signs in; with a single account goes straight into it, with more the session is `half` until one is chosen. */
export async function signIn(email: string, password: string): Promise<void> {
  const reply = await call(identityRoutes.login, { body: { email: email.trim(), password } })
  const [first, ...others] = reply.accounts
  if (!first) throw new ApiError('no_account', 'No dashboard account is associated with the user')
  const keep = { token: reply.token, email: reply.user.email, account: null }
  queryClient.removeQueries({ predicate: isAccountData })
  queryClient.setQueryData(accountsQuery.queryKey, byName(reply.accounts))
  if (others.length > 0) return setSession({ state: 'half', email: keep.email }, keep)
  // Nothing to choose: the form stays until the account is entered, and says why if it can't be.
  setSession(currentSession(), keep)
  try {
    await enterAccount(first.Key)
  } catch (error) {
    setSession({ state: 'out', notice: null, keepsPlace: true }, null)
    throw error
  }
}

/** Enters an account in this tab only: a token for it, and the user's rights there. Cached data of the old one goes. */
export async function enterAccount(account: AccountId): Promise<User> {
  const { token, user } = await call(identityRoutes.chooseAccount, { account })
  await queryClient.cancelQueries({ predicate: isAccountData })
  queryClient.removeQueries({ predicate: isAccountData })
  setSession({ state: 'in', user, account }, { token, email: user.email, account })
  return user
}

/** After a reload or in a new tab: checks the kept token and goes back into the account it was for. */
export async function restoreSession(): Promise<void> {
  const kept = keptSession()
  if (!kept) return
  // What the shell asks for first comes along meanwhile.
  void queryClient.prefetchQuery(accountsQuery)
  if (kept.account === null) return setSession({ state: 'half', email: kept.email })
  try {
    await enterAccount(kept.account)
  } catch (error) {
    if (currentSession().state === 'out') return
    const isLost = isApiError(error, 'not_found', 'not_allowed')
    if (isLost) setSession({ state: 'half', email: kept.email }, { ...kept, account: null })
    else setSession({ state: 'unreachable', message: messageOf(error) })
  }
}

export function retryRestore(): void {
  setSession({ state: 'restoring' })
  void restoreSession()
}

/** Signs out here and on the server. `notice` tells why when the user did not ask for it, and keeps the place. */
export async function signOut(notice: string | null = null): Promise<void> {
  const kept = keptSession()
  if (!kept) return
  // The server is told first, as the token goes with the local end. Whether it answers or not, this tab is out.
  const told = call(identityRoutes.logout, {}).catch(() => undefined)
  endSession(kept.token, notice, notice !== null)
  queryClient.clear()
  await told
}

/** Everything but the list of accounts and the names of the installation, which are the same in each account. */
const isAccountData = ({ queryKey }: Query): boolean => queryKey[0] !== 'accounts' && queryKey[0] !== 'deployment'

const byName = (accounts: AccountEntry[]): AccountEntry[] =>
  accounts.toSorted((a, b) => a.Value.localeCompare(b.Value, 'en-US', { sensitivity: 'base' }))
