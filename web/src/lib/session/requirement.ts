import { createStore } from '#lib/store.ts'

/** Step-up that the server requires before it handles a request. */
export type StepUp = 'password' | 'two-factor'

type PendingStepUp = { stepUp: StepUp; end: PromiseWithResolvers<boolean> }

export const stepUpStore = createStore<PendingStepUp | null>(null)

export const pendingStepUp = (): StepUp | null => stepUpStore.get()?.stepUp ?? null

/** Asks for the step-up on top of the page, once for all waiting calls; true when it was completed. */
export function settle(stepUp: StepUp): Promise<boolean> {
  const pending = stepUpStore.get()
  if (pending) return pending.stepUp === stepUp ? pending.end.promise : pending.end.promise.then(() => settle(stepUp))
  const end = Promise.withResolvers<boolean>()
  stepUpStore.set({ stepUp, end })
  return end.promise
}

/** The step-up was completed or cancelled. */
export function endStepUp(isSettled: boolean): void {
  stepUpStore.get()?.end.resolve(isSettled)
  stepUpStore.set(null)
}
