import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseAway } from '../database.ts'
import type { Logger } from '../log.ts'

/** Runs a step of the startup, which must be safe to repeat. */
export type Patiently = <T>(step: () => Promise<T>) => Promise<T>

const pauseMs = 250
// The time that a server of a portal's size takes to recover from a crash.
const mostAwayMs = 60_000

/**
 * Returns a function that repeats a step of the startup for at most a minute while the database crashes, recovers or
 * cannot be reached: a crash in the first seconds is handled like a later one. Logs the first failure of a step.
 * @param isAway which errors are repeated
 * @throws the last error of the step
 */
export function whileDatabaseReturns(log: Pick<Logger, 'warn'>, isAway = isDatabaseAway): Patiently {
  return async (step) => {
    for (let end: number | null = null; ; await sleep(pauseMs)) {
      try {
        return await step()
      } catch (error) {
        if (!isAway(error) || (end !== null && performance.now() > end)) throw error
        if (end === null) log.warn({ err: error }, 'the database is away; the start goes on when it is back')
        end ??= performance.now() + mostAwayMs
      }
    }
  }
}
