import type { Feature } from '@portico/contract/features'
import type { AccountEntry, AccountId } from '@portico/contract/accounts'
import type { User } from '@portico/contract/sign-in'
import { type Query, queryOptions, useQuery } from '@tanstack/react-query'
import { addressAccount, setAddressAccount, stampAddress } from './address-account.ts'
import { ApiError, isApiError, messageOf } from '#lib/api/api-error.ts'
import { call } from '#lib/api/api.ts'
import { shellRoutes } from '#lib/api/shell-routes.ts'
import { queryClient } from '#lib/api/query-client.ts'
import {
  askForTwoFactor,
  currentSession,
  endSession,
  type KeptSession,
  keptSession,
  sessionStore,
  type Session,
  sessionToken,
  setSession,
} from './session-store.ts'
import { useStore } from '#lib/store.ts'

const accountsQuery = queryOptions({
  queryKey: ['accounts'],
  queryFn: async ({ signal }) => byName(await call(shellRoutes.listAccounts, {}, { signal })),
  staleTime: 5 * 60_000,
})

export const useSession = (): Session => useStore(sessionStore)

type Inside = Extract<Session, { user: User }>

/** In an account; also while the page is locked, as it stays mounted. */
export const isInside = (session: Session): session is Inside => session.state === 'in' || session.state === 'locked'

/** The signed-in user and their rights in the tab's account. Only below the signed-in shell. */
export function useUser(): User {
  const session = useSession()
  if (!isInside(session)) throw new Error('useUser() needs a chosen account')
  return session.user
}

/** IANA name of the time zone of the tab's account; local time where no account is chosen. */
export function accountTimeZone(): string | undefined {
  const session = currentSession()
  return isInside(session) ? (session.user.timeZone ?? undefined) : undefined
}

/** Whether the user holds the feature in the tab's account. Use it to show or hide; the server decides. */
export const useCan = (feature: Feature): boolean => useUser().policies.includes(feature)

/** The account this tab works in. The name is empty until the list of accounts has loaded. */
export function useAccount(): { id: AccountId; name: string } {
  const session = useSession()
  const accounts = useAccounts()
  if (!isInside(session)) throw new Error('useAccount() needs a chosen account')
  const entry = accounts.data?.find(({ Key }) => Key === session.account)
  return { id: session.account, name: entry?.Value ?? '' }
}

/** The accounts the person may enter, sorted by name. */
export const useAccounts = () => useQuery(accountsQuery)

/** The name of an account's parent; null if it has none, or if the person may not enter it. */
export const parentNameOf = ({ parent }: AccountEntry, accounts: AccountEntry[]): string | null =>
  accounts.find(({ Key }) => Key === parent)?.Value ?? null

/** Reply to a sign-in: a session without an account yet. */
export type SignedIn = { token: string; user: User; accounts: AccountEntry[] }

/** Signs in; returns the token of the second step if a code is required, else null. */
export async function signIn(email: string, password: string): Promise<string | null> {
  const reply = await call(shellRoutes.login, { body: { email: email.trim(), password } })
  if (reply.isTwoFactor) return reply.token
  await beginSession(reply)
  return null
}

/** The second step: the code of an authenticator app, or a recovery code. */
export async function signInWithCode(token: string, code: string): Promise<void> {
  const reply = await call(shellRoutes.login, { body: { token, code } })
  if (reply.isTwoFactor) throw new ApiError('unexpected', 'Another code is asked for.')
  await beginSession(reply)
}

/**
 * Continues after a sign-in: a single account, or the one that the address names, is entered at once; with several
 * accounts, the session is `half` until one is chosen.
 */
export async function beginSession({ token, user, accounts }: SignedIn): Promise<void> {
  const wanted = accounts.find(({ Key }) => Key === addressAccount())
  const [first, ...others] = wanted ? [wanted] : accounts
  const keep = { token, email: user.email, account: null }
  queryClient.removeQueries({ predicate: isAccountData })
  queryClient.setQueryData(accountsQuery.queryKey, byName(accounts))
  // A person without an account may have invitations to respond to.
  if (!first || others.length > 0) return setSession({ state: 'half', email: keep.email }, keep)
  // No choice to make: the form stays until the account is entered, and shows the reason if that fails.
  setSession(currentSession(), keep)
  try {
    await enterAccount(first.Key)
  } catch (error) {
    if (error instanceof SupersededError) return
    setSession({ state: 'out', notice: null, keepsPlace: true }, null)
    throw error
  }
}

let lastEntry = 0

/**
 * Enters an account in this tab only: loads a token for it, and the user's rights there. Cached data of the old account
 * is removed, and addresses name the new one from the next navigation on.
 * @throws {SupersededError} if another account was requested meanwhile, or if two-factor must be set up first
 */
export async function enterAccount(account: AccountId): Promise<User> {
  lastEntry += 1
  const entry = lastEntry
  const { token, user } = await call(shellRoutes.chooseAccount, { account }).catch((error: unknown) => {
    const kept = keptSession()
    if (!kept || entry !== lastEntry || !isApiError(error, 'two_factor_needed')) throw error
    askForTwoFactor(account, kept)
    throw new SupersededError()
  })
  if (entry !== lastEntry) throw new SupersededError()
  await queryClient.cancelQueries({ predicate: isAccountData })
  queryClient.removeQueries({ predicate: isAccountData })
  setAddressAccount(account)
  setSession({ state: 'in', user, account }, { token, email: user.email, account })
  return user
}

/** Another change came before this account was entered; there is nothing to show. */
export class SupersededError extends Error {
  override name = 'SupersededError'
}

/**
 * After a reload or in a new tab: checks the stored token and enters the account that the address names, or the account
 * of the token.
 */
export async function restoreSession(): Promise<void> {
  const kept = keptSession()
  if (!kept) return
  if (kept.isImpersonated) return restoreImpersonation(kept)
  // Prefetches the shell's first request.
  void queryClient.prefetchQuery(accountsQuery)
  const named = addressAccount()
  const account = named ?? kept.account
  if (account === null) return setSession({ state: 'half', email: kept.email })
  try {
    await enterAccount(account)
    stampAddress()
  } catch (error) {
    if (error instanceof SupersededError || currentSession().state === 'out') return
    const isLost = isApiError(error, 'not_found', 'not_allowed', 'invalid_input')
    if (!isLost) setSession({ state: 'unreachable', message: messageOf(error) })
    else if (named === null) setSession({ state: 'half', email: kept.email }, { ...kept, account: null })
    else setSession({ state: 'refused', email: kept.email, account: named })
  }
}

/** An impersonation link's token cannot be exchanged: it is valid for its own account only. */
async function restoreImpersonation(kept: KeptSession): Promise<void> {
  try {
    const user = await call(shellRoutes.getUser, {})
    const account = user.account ?? kept.account
    if (account === null) throw new ApiError('link_invalid', 'This link is not valid or has expired.')
    setAddressAccount(account)
    setSession({ state: 'in', user, account }, { ...kept, email: user.email, account })
    stampAddress()
  } catch (error) {
    if (currentSession().state !== 'out') setSession({ state: 'unreachable', message: messageOf(error) })
  }
}

/** The user went back to an address of another account: enters that account. */
export function followAddress(account: AccountId | null): void {
  const session = currentSession()
  if (keptSession()?.isImpersonated || !['in', 'refused', 'restoring'].includes(session.state)) return
  if (account === null || (session.state === 'in' && session.account === account)) {
    setAddressAccount(session.state === 'in' ? session.account : null)
    return stampAddress()
  }
  setAddressAccount(account)
  setSession({ state: 'restoring' })
  void restoreSession()
}

/** Leaves the account that the address names, for the user to choose another. */
export function chooseOtherAccount(): void {
  const kept = keptSession()
  if (!kept) return
  setAddressAccount(null)
  setSession({ state: 'half', email: kept.email }, { ...kept, account: null })
}

/** Reloads the user's permissions: menus follow without reloading the page. Failures change nothing. */
export async function refreshRights(): Promise<void> {
  const token = sessionToken()
  if (token === null) return
  const user = await call(shellRoutes.getUser, {}).catch(() => null)
  const session = currentSession()
  // Responses for a token that was replaced in the meantime say nothing about the current account.
  if (!user || session.state !== 'in' || token !== sessionToken()) return
  if (JSON.stringify(user) !== JSON.stringify(session.user)) setSession({ ...session, user })
}

export function retryRestore(): void {
  setSession({ state: 'restoring' })
  void restoreSession()
}

/** Signs out here and on the server. `notice` is the reason if the user did not ask for it, and keeps the place. */
export async function signOut(notice: string | null = null): Promise<void> {
  const kept = keptSession()
  if (!kept) return
  // Notifies the server first, while the token still exists. This tab is signed out regardless of the reply.
  const told = call(shellRoutes.logout, {}, { token: kept.token }).catch(() => undefined)
  endSession(kept.token, notice, notice === null ? 'wanted' : 'lost')
  if (currentSession().state === 'out') queryClient.clear()
  await told
}

/**
 * Ends the impersonation in this tab. The link itself works until it expires or is revoked. The browser's own sign-in,
 * if there is one, takes over.
 */
export function leaveImpersonation(): void {
  const kept = keptSession()
  if (!kept?.isImpersonated) return
  endSession(kept.token, null, 'wanted')
  queryClient.clear()
  window.location.assign('/')
}

/** All queries except those that are the same in each account: the accounts, the installation's names, email links. */
const isAccountData = ({ queryKey }: Query): boolean =>
  !['accounts', 'own invitations', 'deployment', 'invitation', 'password reset'].includes(String(queryKey[0]))

const byName = (accounts: AccountEntry[]): AccountEntry[] =>
  accounts.toSorted((a, b) => a.Value.localeCompare(b.Value, 'en-US', { sensitivity: 'base' }))
