import { isMainThread } from 'node:worker_threads'
import { destination, type Logger, pino, stdTimeFunctions } from 'pino'

export type { Logger }

/**
 * Structured logs, one JSON object a line, to standard output or to a file. Secrets that could reach a log by accident
 * are left out.
 */
export function createLog(options: { level?: 'info' | 'silent'; file?: string } = {}): Logger {
  const settings = {
    level: options.level ?? 'info',
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    redact: ['req.headers.authorization', 'req.headers.cookie', '*.password', '*.token'],
  }
  // Requests do not wait for their line to be written. A thread's end would not wait for what is left to write, either.
  return pino(settings, destination({ dest: options.file ?? 1, mkdir: true, sync: !isMainThread }))
}
