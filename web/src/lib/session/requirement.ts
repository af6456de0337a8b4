import { createStore } from '#lib/store.ts'

/** Step-up that the server requires before it handles a request. */
export type Owed = 'password' | 'two-factor'

type Asked = { owed: Owed; end: PromiseWithResolvers<boolean> }

export const askedStore = createStore<Asked | null>(null)

export const currentlyOwed = (): Owed | null => askedStore.get()?.owed ?? null

/** Asks for it on top of the page, for all who wait at once; true when it was given. */
export function settle(owed: Owed): Promise<boolean> {
  const asked = askedStore.get()
  if (asked) return asked.owed === owed ? asked.end.promise : asked.end.promise.then(() => settle(owed))
  const end = Promise.withResolvers<boolean>()
  askedStore.set({ owed, end })
  return end.promise
}

/** The step-up was completed or cancelled. */
export function endOwed(isSettled: boolean): void {
  askedStore.get()?.end.resolve(isSettled)
  askedStore.set(null)
}
