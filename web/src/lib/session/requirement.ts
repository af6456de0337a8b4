/** What the server asks of somebody at work before it does what they asked for. */
export type Owed = 'password' | 'two-factor'

let asked: { owed: Owed; end: PromiseWithResolvers<boolean> } | null = null
const listeners = new Set<() => void>()

export const currentlyOwed = (): Owed | null => asked?.owed ?? null

export function onOwedChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Asks for it on top of the page, for all who wait at once; true when it was given. */
export function settle(owed: Owed): Promise<boolean> {
  if (asked) return asked.owed === owed ? asked.end.promise : asked.end.promise.then(() => settle(owed))
  asked = { owed, end: Promise.withResolvers() }
  tell()
  return asked.end.promise
}

/** What was asked for was given, or was not. */
export function endOwed(isSettled: boolean): void {
  asked?.end.resolve(isSettled)
  asked = null
  tell()
}

function tell(): void {
  for (const listener of listeners) listener()
}
