import { AppError } from './app-error.ts'

/** Runs work when it is its turn. @throws too_many_requests at once when the queue is full */
export type BoundedQueue = <T>(work: () => Promise<T>) => Promise<T>

/** Limits CPU-bound work: `atOnce` run concurrently, `waiting` more wait in order of arrival. */
export function createBoundedQueue({ atOnce, waiting }: { atOnce: number; waiting: number }): BoundedQueue {
  const line: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < atOnce) running++
    else if (line.length >= waiting) throw new AppError('too_many_requests')
    // Finished work passes its slot to the first in line, which keeps later arrivals from taking it.
    else await new Promise<void>((resolve) => line.push(resolve))
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next) next()
      else running--
    }
  }
}
