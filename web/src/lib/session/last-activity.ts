/** Shared by all tabs: work in one keeps the others signed in, as they share the session. */
export const lastActivityKey = 'portico.lastActivity'

/** Longer than the pages' own calls are apart, so that one of them tells the server of the last click. */
const passiveAfterMs = 60_000

/** When someone last clicked or typed in the portal, in ms since 1970; null when that is not known. */
export const lastActivityAt = (): number | null => Number(localStorage.getItem(lastActivityKey)) || null

/** Long work that its user is waiting for counts as activity too. */
export const noteActivity = (): void => localStorage.setItem(lastActivityKey, String(Date.now()))

/** Whether what a page asks now is its own doing, since no one has clicked or typed for a while. */
export function isPassive(): boolean {
  const at = lastActivityAt()
  return at !== null && Date.now() - at > passiveAfterMs
}
