import { pino, type Logger } from 'pino'

export type { Logger }

/** Structured logs, one JSON object a line; secrets that could reach a log by accident are left out. */
export function createLog(level = process.env['LOG_LEVEL'] ?? 'info'): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ['req.headers.authorization', 'req.headers.cookie', '*.password', '*.token'],
  })
}
