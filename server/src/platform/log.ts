import { isMainThread } from 'node:worker_threads'
import { destination, type Logger, pino, stdTimeFunctions } from 'pino'

export type { Logger }

/**
 * Writes structured logs, one JSON object per line, to standard output or to a file. Redacts secrets that could reach a log
 * by accident.
 */
export function createLog(options: { level?: 'info' | 'silent'; file?: string } = {}): Logger {
  const settings = {
    level: options.level ?? 'info',
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    // The database driver attaches the connection to its errors, with the key that cancels its queries.
    redact: ['err.client', 'req.headers.authorization', 'req.headers.cookie', '*.password', '*.token'],
  }
  // Asynchronous in the main thread, so that requests do not wait. In a worker thread unwritten lines would be lost at its
  // end.
  return pino(settings, destination({ dest: options.file ?? 1, mkdir: true, sync: !isMainThread }))
}
