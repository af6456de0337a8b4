import { callerKey } from '@portico/contract/email-address'
import type { AccountId } from '@portico/contract/accounts'
import type { User } from '@portico/contract/sign-in'
import { setAddressAccount } from './address-account.ts'
import { takeImpersonationLink } from './impersonation-link.ts'
import { hasUnsavedInput } from './typed-input-check.ts'
import { forgetLastPageViewed } from '#lib/settings.ts'
import { createStore } from '#lib/store.ts'

/**
 * State of this tab. `restoring` = a stored token is being checked; `unreachable` = that check found no server; `half`
 * = signed in, no account chosen yet; `refused` = signed in, but not admitted to the account in the address, or not
 * until its requirements are met; `locked` = the session has ended, and the page stays for the same person because
 * unsaved input would be lost.
 */
export type Session =
  | { state: 'out'; notice: string | null; keepsPlace: boolean }
  | { state: 'restoring' }
  | { state: 'unreachable'; message: string }
  | { state: 'half'; email: string }
  | { state: 'refused'; email: string; account: AccountId; needs?: 'two-factor' }
  | { state: 'in'; user: User; account: AccountId }
  | { state: 'locked'; user: User; account: AccountId; notice: string }

/** The account requires two-factor, which the person must set up first. The session continues meanwhile. */
export function askForTwoFactor(account: AccountId, keep: KeptSession): void {
  setAddressAccount(account)
  setSession({ state: 'refused', email: keep.email, account, needs: 'two-factor' }, keep)
}

/** Session data that survives a reload. The account is the tab's own: two tabs may work in two accounts. */
export type KeptSession = {
  token: string
  email: string
  account: AccountId | null
  /** Opened by an impersonation link: stays in this tab. */
  isImpersonated?: true
}

const tabKey = 'portico.tab'
/** The last sign-in in this browser, from which a new tab starts. */
const signInKey = 'portico.signIn'
/** The page each person saw last, which opening the portal may lead to. */
const lastPageKey = 'portico.lastPage'
export const endedNotice = 'Your session has ended. Please sign in again.'

let kept: KeptSession | null = takeLinked() ?? readKept(sessionStorage, tabKey) ?? readKept(localStorage, signInKey)
let placeOwner: string | null = null
export const sessionStore = createStore<Session>(
  kept ? { state: 'restoring' } : { state: 'out', notice: null, keepsPlace: true },
)

export const currentSession = (): Session => sessionStore.get()
export const keptSession = (): KeptSession | null => kept
export const sessionToken = (): string | null => kept?.token ?? null

/** Moves the tab to a state; a reload starts from `keep`. Without it, other tabs end too unless they `stay`. */
export function setSession(next: Session, keep: KeptSession | null = kept, others: 'follow' | 'stay' = 'follow'): void {
  if (keep !== kept) writeKept(keep, others)
  kept = keep
  sessionStore.set(next)
  // After the session's pages are unmounted, as they might write once more.
  if (next.state === 'out' || next.state === 'locked') forgetPerson()
}

/** Keys of this browser's choices: how the portal looks and reacts, no personal data. */
const keysThatStay = ['portico.colorScheme', 'portico.settings', 'portico.shortcuts']

/** Clears the storage of this tab, and the browser's unless a person has signed in here in another tab. */
function forgetPerson(): void {
  sessionStorage.clear()
  if (readKept(localStorage, signInKey)) return
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith('portico.') && !keysThatStay.includes(key)) localStorage.removeItem(key)
  }
  forgetLastPageViewed()
}

/**
 * `wanted` = signed out by the person here; `followed` = by the person in another tab; `account lost` = by an
 * administrator, for the tab's account only: other tabs continue; `lost` = ended by anything else.
 */
type Ending = 'wanted' | 'followed' | 'account lost' | 'lost'

/**
 * Ends the session that `token` belongs to; a response to a token that was replaced meanwhile ends nothing. Unsaved
 * input keeps a page whose session was lost, locked; otherwise the place is kept, and signing in again returns to it.
 */
export function endSession(token: string, notice: string | null, ending: Ending = 'lost'): void {
  const session = currentSession()
  if (kept?.token !== token) return
  const others = ending === 'account lost' ? 'stay' : 'follow'
  const isLost = ending === 'lost' || ending === 'account lost'
  if (ending === 'wanted') {
    noteWanted()
    setAddressAccount(null)
  } else if (isLost && session.state === 'in' && !kept.isImpersonated && hasUnsavedInput()) {
    const { user, account } = session
    return setSession({ state: 'locked', user, account, notice: notice ?? endedNotice }, null, others)
  }
  const keepsPlace = ending !== 'wanted'
  placeOwner = keepsPlace ? kept.email || null : null
  setSession({ state: 'out', notice, keepsPlace }, null, others)
}

/** The person whose place a sign-in returns to: no one else may see it. Null: no owner. */
export const ownerOfPlace = (): string | null => placeOwner

/** Waits for the end of `locked`; true when the same person has signed in again. Throws when `signal` aborts. */
export function whenUnlocked(signal: AbortSignal | null): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const check = (): void => {
    const { state } = currentSession()
    if (state !== 'locked') resolve(state === 'in')
  }
  const stop = sessionStore.subscribe(check)
  const onAbort = (): void => reject(new DOMException('Aborted', 'AbortError'))
  signal?.addEventListener('abort', onAbort)
  check()
  if (signal?.aborted) onAbort()
  return promise.finally(() => {
    stop()
    signal?.removeEventListener('abort', onAbort)
  })
}

/** The last page that the person saw in this browser, as a path with its query; null if there is none. */
export function lastPageOf(email: string): string | null {
  const path = readRecord(localStorage, lastPageKey)[callerKey(email)]
  return typeof path === 'string' && /^\/(?!\/)/.test(path) ? path : null
}

export function noteLastPage(email: string, path: string): void {
  const pages = { ...readRecord(localStorage, lastPageKey), [callerKey(email)]: path }
  localStorage.setItem(lastPageKey, JSON.stringify(pages))
}

/** Changes by other tabs to this browser's sign-in. */
export type TabsChange = {
  before: KeptSession | null
  after: KeptSession | null
  /** It ended because the person signed out. */
  isWanted: boolean
}

/** Reports changes to the browser's sign-in by other tabs. */
export function onTabsChange(listener: (change: TabsChange) => void): () => void {
  const onStorage = ({ key, oldValue, newValue }: StorageEvent): void => {
    if (key !== signInKey) return
    const isWanted = parseRecord(oldValue)['isLeft'] === true
    // Only announces the sign-out, which follows.
    if (parseRecord(newValue)['isLeft'] === true) return
    listener({ before: parseKept(oldValue), after: parseKept(newValue), isWanted })
  }
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}

/** Other tabs see the value before the removal, which must say that the user signed out. */
function noteWanted(): void {
  const shared = readKept(localStorage, signInKey)
  if (shared && shared.email === kept?.email && !kept.isImpersonated) {
    localStorage.setItem(signInKey, JSON.stringify({ ...shared, isLeft: true }))
  }
}

function writeKept(next: KeptSession | null, others: 'follow' | 'stay'): void {
  if (!next) {
    sessionStorage.removeItem(tabKey)
    if (kept?.isImpersonated || others === 'stay') return
    // Another person may have signed in here since then, in another tab.
    if (readKept(localStorage, signInKey)?.email === kept?.email) localStorage.removeItem(signInKey)
    return
  }
  sessionStorage.setItem(tabKey, JSON.stringify(next))
  if (next.isImpersonated) return
  localStorage.setItem(signInKey, JSON.stringify(next))
}

/** A link's token belongs to this tab from now on, and to no other. */
function takeLinked(): KeptSession | null {
  const link = takeImpersonationLink()
  if (!link) return null
  const linked: KeptSession = { ...link, email: '', isImpersonated: true }
  sessionStorage.setItem(tabKey, JSON.stringify(linked))
  return linked
}

function readKept(storage: Storage, key: string): KeptSession | null {
  return parseKept(storage.getItem(key))
}

function parseKept(text: string | null): KeptSession | null {
  const { token, email, account, isImpersonated } = parseRecord(text)
  if (typeof token !== 'string' || typeof email !== 'string') return null
  return {
    token,
    email,
    account: typeof account === 'number' ? account : null,
    ...(isImpersonated === true && { isImpersonated }),
  }
}

const readRecord = (storage: Storage, key: string): Record<string, unknown> => parseRecord(storage.getItem(key))

/** Any content of the storage: an older version or a curious user may have written it. */
function parseRecord(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
