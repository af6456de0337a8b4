import type { AccountId, User } from '@portico/contract/identity'

/**
 * Where this tab stands. `restoring` = a token is kept and is being checked; `unreachable` = that check found no
 * server; `half` = signed in, no account chosen yet.
 */
export type Session =
  | { state: 'out'; notice: string | null; keepsPlace: boolean }
  | { state: 'restoring' }
  | { state: 'unreachable'; message: string }
  | { state: 'half'; email: string }
  | { state: 'in'; user: User; account: AccountId }

/** What survives a reload. The account is the tab's own: two tabs may work in two accounts. */
export type KeptSession = { token: string; email: string; account: AccountId | null }

const tabKey = 'portico.tab'
/** The last sign-in of this browser: a new tab starts from it. */
const signInKey = 'portico.signIn'
/** The account each person was in last, so that signing in again offers it first. */
const lastAccountKey = 'portico.lastAccount'

let kept: KeptSession | null = readKept(sessionStorage, tabKey) ?? readKept(localStorage, signInKey)
let session: Session = kept ? { state: 'restoring' } : { state: 'out', notice: null, keepsPlace: true }
const listeners = new Set<() => void>()

export const currentSession = (): Session => session
export const keptSession = (): KeptSession | null => kept
export const sessionToken = (): string | null => kept?.token ?? null

export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Moves the tab to a state; `keep` is what a reload starts from. */
export function setSession(next: Session, keep: KeptSession | null = kept): void {
  session = next
  if (keep !== kept) writeKept(keep)
  kept = keep
  for (const listener of listeners) listener()
}

/**
 * Ends the session that `token` belongs to; an answer to a token that was replaced meanwhile ends nothing.
 * The place is kept, so that signing in again returns to it.
 */
export function endSession(token: string, notice: string | null, keepsPlace = true): void {
  if (kept?.token !== token) return
  setSession({ state: 'out', notice, keepsPlace }, null)
}

export function lastAccountOf(email: string): AccountId | null {
  const account = readRecord(localStorage, lastAccountKey)[email.toLowerCase()]
  return typeof account === 'number' ? account : null
}

/** Another tab signed the same person out: this one follows. */
export function followOtherTabs(): () => void {
  const onStorage = (event: StorageEvent): void => {
    if (event.key !== signInKey || event.newValue !== null || !kept) return
    const ended = parseKept(event.oldValue)
    if (ended?.email === kept.email) endSession(kept.token, 'You signed out in another tab.')
  }
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}

function writeKept(next: KeptSession | null): void {
  if (!next) {
    sessionStorage.removeItem(tabKey)
    // Another person may have signed in here since, in another tab.
    if (readKept(localStorage, signInKey)?.email === kept?.email) localStorage.removeItem(signInKey)
    return
  }
  sessionStorage.setItem(tabKey, JSON.stringify(next))
  localStorage.setItem(signInKey, JSON.stringify(next))
  if (next.account === null) return
  const last = { ...readRecord(localStorage, lastAccountKey), [next.email.toLowerCase()]: next.account }
  localStorage.setItem(lastAccountKey, JSON.stringify(last))
}

function readKept(storage: Storage, key: string): KeptSession | null {
  return parseKept(storage.getItem(key))
}

function parseKept(text: string | null): KeptSession | null {
  const { token, email, account } = parseRecord(text)
  if (typeof token !== 'string' || typeof email !== 'string') return null
  return { token, email, account: typeof account === 'number' ? account : null }
}

const readRecord = (storage: Storage, key: string): Record<string, unknown> => parseRecord(storage.getItem(key))

/** Whatever stands in the storage: an older version or a curious user may have written it. */
function parseRecord(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
