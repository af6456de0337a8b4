import type { IncomingMessage } from 'node:http'
import type { PassThrough } from 'node:stream'
import { AppError } from '#platform/app-error.ts'

const paceMs = 60_000

/** Minimum number of bytes in each interval except the last. A poor mobile connection sends a hundred times as many. */
const leastBytes = 8 * 1024

/**
 * Fails the body of an upload that is too slow or no longer allowed, which limits how long a client can keep it open.
 * Checked every minute, since an upload takes longer than its link is valid.
 * @param requireAlive throws link_invalid
 */
export function keepPace(raw: IncomingMessage, body: PassThrough, requireAlive: () => Promise<void>): void {
  let arrived = 0
  raw.on('data', ({ length }: Buffer) => {
    arrived += length
  })
  const timer = setInterval(() => {
    // A full buffer waits for the storage, not for the client.
    const isSlow = arrived < leastBytes && !body.writableNeedDrain
    arrived = 0
    if (isSlow) body.destroy(new AppError('upload_too_slow'))
    else requireAlive().catch((error: unknown) => endIfRefused(body, error))
  }, paceMs)
  const stop = (): void => clearInterval(timer)
  raw.once('end', stop)
  raw.once('close', stop)
  body.once('close', stop)
}

/** Ends the upload if it was refused; a database that is briefly unavailable ends none. */
function endIfRefused(body: PassThrough, error: unknown): void {
  if (error instanceof AppError && error.code === 'link_invalid') body.destroy(error)
}
