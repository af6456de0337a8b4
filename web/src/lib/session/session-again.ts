import { isSameCaller } from '@portico/contract/email-address'
import { ApiError } from '#lib/api/api-error.ts'
import { call } from '#lib/api/api.ts'
import { setAddressAccount } from './address-account.ts'
import { shellRoutes } from '#lib/api/shell-routes.ts'
import { noteActivity } from './last-activity.ts'
import { queryClient } from '#lib/api/query-client.ts'
import {
  currentSession,
  endedNotice,
  endSession,
  type KeptSession,
  keptSession,
  onTabsChange,
  setSession,
} from './session-store.ts'

/**
 * Signs the person of a locked page in again; they continue where they were. Returns the token of the second step if a
 * code is required, else null.
 * @throws if they may no longer enter the account
 */
export async function signInAgain(password: string): Promise<string | null> {
  const session = currentSession()
  if (session.state !== 'locked') return null
  const reply = await call(shellRoutes.login, { body: { email: session.user.email, password } })
  if (reply.isTwoFactor) return reply.token
  await goOn(reply.token)
  return null
}

/** The second step of signing in again. */
export async function signInAgainWithCode(token: string, code: string): Promise<void> {
  const reply = await call(shellRoutes.login, { body: { token, code } })
  if (reply.isTwoFactor) throw new ApiError('unexpected', 'Another code is asked for.')
  await goOn(reply.token)
}

/** Abandons the locked page: another person can sign in and finds nothing of the previous person. */
export function leaveLocked(): void {
  if (currentSession().state !== 'locked') return
  setAddressAccount(null)
  setSession({ state: 'out', notice: null, keepsPlace: false }, null)
  queryClient.clear()
}

/** Enters the account of the locked page, with a token of the same person. */
export async function goOn(token: string): Promise<void> {
  const session = currentSession()
  if (session.state !== 'locked') return
  const { account } = session
  const entered = await call(shellRoutes.chooseAccount, { account }, { token })
  // Another person may have signed in meanwhile, in another tab.
  if (currentSession().state !== 'locked' || !isSameCaller(entered.user.email, session.user.email)) return
  // The idle time that led here is over.
  noteActivity()
  setSession({ state: 'in', user: entered.user, account }, { token: entered.token, email: entered.user.email, account })
  // Visible data stays and is refetched: it is older than the lock.
  void queryClient.invalidateQueries()
}

/**
 * Follows other tabs: the same person signs out there or, where this page is locked, signs in again; or another person
 * signs in.
 */
export function followOtherTabs(): () => void {
  return onTabsChange(({ before, after, isWanted }) => {
    if (currentSession().state === 'locked') followLocked(after)
    else if (after === null) followEnd(before, isWanted)
  })
}

function followLocked(after: KeptSession | null): void {
  const session = currentSession()
  if (session.state !== 'locked' || after === null) return
  if (!isSameCaller(after.email, session.user.email)) return leaveLocked()
  // If this fails, the page asks for the password as before.
  void goOn(after.token).catch(() => undefined)
}

function followEnd(before: KeptSession | null, isWanted: boolean): void {
  const kept = keptSession()
  if (!kept || kept.isImpersonated || before?.email !== kept.email) return
  if (!isWanted) return endSession(kept.token, endedNotice)
  endSession(kept.token, 'You signed out in another tab.', 'followed')
}
