import { isCancelled } from '#platform/database.ts'
import { JobRefused } from '#platform/jobs/job-runs.ts'

/** The filter of an export takes too long; another attempt would too. */
export class ExportTooSlow extends JobRefused {
  constructor(limitMs: number) {
    const minutes = Math.max(1, Math.round(limitMs / 60_000))
    const within = minutes === 1 ? 'a minute' : `${minutes} minutes`
    super(
      `The filter takes too long: its rows were not found within ${within}. ` +
        'Simplify its regular expressions, or begin it with a condition that leaves fewer contacts.',
    )
    this.name = 'ExportTooSlow'
  }
}

/** Maximum time for finding an export's rows, and between two rows. */
export type ExportTimeLimit = { baseMs: number; msPerContact: number }

/**
 * Grows with the account: a filter may take long because there are many contacts, but not because of one of them, as
 * with a regular expression that tries endless combinations. An hour for a million contacts is a hundred times what
 * filters take.
 */
export const exportTimeLimit: ExportTimeLimit = { baseMs: 600_000, msPerContact: 3 }

/** Runs a statement that the database cancels after `limitMs`. @throws ExportTooSlow if it did */
export async function withinLimit<T>(limitMs: number, statement: () => Promise<T>): Promise<T> {
  const began = performance.now()
  try {
    return await statement()
  } catch (error) {
    // Statements are also cancelled when the worker stops.
    if (isCancelled(error) && performance.now() - began >= limitMs) throw new ExportTooSlow(limitMs)
    throw error
  }
}

const lookEveryMs = 1000

type Watch = { progress: () => void; end: () => void }

/** Calls `onStuck` when no output has come for `limitMs`. Time spent waiting for the storage does not count. */
export function watchOutput(limitMs: number, isHeldUp: () => boolean, onStuck: () => void): Watch {
  let last = performance.now()
  const progress = () => void (last = performance.now())
  const timer = setInterval(
    () => {
      if (isHeldUp()) progress()
      else if (performance.now() - last > limitMs) onStuck()
    },
    Math.min(lookEveryMs, limitMs),
  )
  return { progress, end: () => clearInterval(timer) }
}
