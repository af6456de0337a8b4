/** A value with its previous values, and those that were undone. */
export type History<T> = { past: T[]; present: T; future: T[] }

/** Maximum number of changes that can be undone. */
const mostSteps = 100

export const startHistory = <T>(present: T): History<T> => ({ past: [], present, future: [] })

/** Records a change, which discards undone ones. The same value again is not a change. */
export function record<T>({ past, present, future }: History<T>, next: T): History<T> {
  if (next === present) return { past, present, future }
  return { past: [...past, present].slice(-mostSteps), present: next, future: [] }
}

export function undo<T>(history: History<T>): History<T> {
  const before = history.past.at(-1)
  if (before === undefined) return history
  return { past: history.past.slice(0, -1), present: before, future: [history.present, ...history.future] }
}

export function redo<T>(history: History<T>): History<T> {
  const [next, ...future] = history.future
  if (next === undefined) return history
  return { past: [...history.past, history.present], present: next, future }
}
