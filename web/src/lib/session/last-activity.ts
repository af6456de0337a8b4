/** Shared by all tabs: work in one keeps the others signed in, as they share the session. */
export const lastActivityKey = 'portico.lastActivity'

/** Longer than the interval of the pages' own calls: one of them reports the last click to the server. */
const passiveAfterMs = 60_000

/** The time of the last click or key in the portal, in ms since 1970; null if unknown. */
export const lastActivityAt = (): number | null => Number(localStorage.getItem(lastActivityKey)) || null

/** Long work that the user is waiting for counts as activity too. */
export const noteActivity = (): void => localStorage.setItem(lastActivityKey, String(Date.now()))

/** Whether calls are now passive: the user has not clicked or typed for a while. */
export function isPassive(): boolean {
  const at = lastActivityAt()
  return at !== null && Date.now() - at > passiveAfterMs
}
