import { AppError } from '#platform/app-error.ts'

/**
 * Runs the work of an owner, such as an account, when it is its turn.
 * @throws too_many_requests at once if there is no room; the reason of `signal` if that is aborted before its turn
 */
export type FairQueue = <T>(owner: number | string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

type Line = { running: number; waiting: (() => void)[] }

/**
 * Limits work that waits for external systems: `atOnce` run, at most `each` of one owner; `waiting` more of an owner
 * wait. Owners take turns: one with a lot of work, or slow work, delays the others little and never makes theirs fail.
 */
export function createFairQueue(limits: { atOnce: number; each: number; waiting: number }): FairQueue {
  // In the order of turns: an owner whose work starts or ends moves to the end.
  const lines = new Map<number | string, Line>()
  let running = 0

  const startNext = (): void => {
    for (const [owner, line] of lines) {
      if (running >= limits.atOnce) return
      const next = line.running < limits.each ? line.waiting.shift() : undefined
      if (!next) continue
      running++
      line.running++
      lines.delete(owner)
      lines.set(owner, line)
      next()
    }
  }

  const waitIn = async (owner: number | string, line: Line, signal: AbortSignal | undefined): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (): void => {
      line.waiting.splice(line.waiting.indexOf(resolve), 1)
      if (line.running === 0 && line.waiting.length === 0) lines.delete(owner)
      reject(signal?.reason as Error)
    }
    line.waiting.push(resolve)
    startNext()
    // Its turn may have come at once.
    if (line.waiting.includes(resolve)) signal?.addEventListener('abort', leave, { once: true })
    void promise.finally(() => signal?.removeEventListener('abort', leave)).catch(() => {})
    await promise
  }

  return async (owner, work, signal) => {
    signal?.throwIfAborted()
    const line = lines.get(owner) ?? { running: 0, waiting: [] }
    const canStart = running < limits.atOnce && line.running < limits.each
    if (!canStart && line.waiting.length >= limits.waiting) throw new AppError('too_many_requests')
    lines.set(owner, line)
    await waitIn(owner, line, signal)
    try {
      return await work()
    } finally {
      running--
      line.running--
      lines.delete(owner)
      if (line.running > 0 || line.waiting.length > 0) lines.set(owner, line)
      startNext()
    }
  }
}
