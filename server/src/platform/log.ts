import { shownJson } from '@portico/contract/shown-text'
import { isMainThread } from 'node:worker_threads'
import { destination, type Logger, pino, stdTimeFunctions } from 'pino'

export type { Logger }

/**
 * Writes structured logs, one JSON object per line, to standard output or to a file. Redacts secrets that could get
 * into a log by accident.
 */
export function createLog(options: { level?: 'info' | 'silent'; file?: string } = {}): Logger {
  const settings = {
    level: options.level ?? 'info',
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    // Strangers choose many of the texts, and terminals and viewers would apply their direction marks.
    hooks: { streamWrite: shownJson },
    // The database driver attaches the connection to its errors, with the key that cancels its queries.
    redact: ['err.client', 'req.headers.authorization', 'req.headers.cookie', '*.password', '*.token'],
  }
  // Asynchronous in the main thread, to not delay requests. A worker thread would lose unwritten lines when it ends.
  return pino(settings, destination({ dest: options.file ?? 1, mkdir: true, sync: !isMainThread }))
}

/**
 * Returns a function that logs an error that may repeat for as long as something is down: at once, then at most every
 * `everyMs`, with the number of errors that were not logged in between.
 */
export function sparseWarnings(log: Logger, message: string, everyMs: number): (error: unknown) => void {
  let [next, unlogged] = [0, 0]
  return (error) => {
    if (Date.now() < next) return void unlogged++
    log.warn({ err: error, ...(unlogged > 0 && { unlogged }) }, message)
    next = Date.now() + everyMs
    unlogged = 0
  }
}
