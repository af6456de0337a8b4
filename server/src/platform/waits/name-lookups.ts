import { type LookupAddress, lookup } from 'node:dns'
import { promisify } from 'node:util'
import { AppError } from '../app-error.ts'
import { createFairQueue } from './fair-queue.ts'

/** The account for which a name is looked up. */
export type Asker = number

type Resolve = (name: string) => Promise<LookupAddress[]>
/**
 * Looks a name up when it is its turn. @throws an error of the look-up, or one with the code ETIMEOUT when it takes too
 * long or the signal aborts
 */
export type Lookups = (name: string, asker: Asker, signal: AbortSignal) => Promise<LookupAddress[]>

/** Look-ups that libuv runs concurrently in a process: it leaves half of its threads to other work. */
const ofProcess = Math.floor(((Number(process.env['UV_THREADPOOL_SIZE']) || 4) + 1) / 2)

/**
 * Look-ups of names that users chose. They cannot be cancelled, and take half a minute if no name server responds. So
 * few run at once, at most two for an account, and each keeps its place until it has really ended, even if its caller
 * no longer waits. The portal's own look-ups, such as that of the database, use the rest.
 */
export function createLookups({
  // Each of the portal's two threads, for requests and for jobs, gets a quarter.
  atOnce = Math.max(1, Math.floor(ofProcess / 4)),
  // Less than a connection may take, which lets the user see this reason.
  mostMs = 9000,
  resolve = (name) => promisify(lookup)(name, { all: true }),
}: { atOnce?: number; mostMs?: number; resolve?: Resolve } = {}): Lookups {
  const queue = createFairQueue({ atOnce, each: Math.min(2, atOnce), waiting: 50 })
  return async (name, asker, given) => {
    const signal = AbortSignal.any([given, AbortSignal.timeout(mostMs)])
    const tooLong = Promise.withResolvers<never>()
    const stop = (): void => tooLong.reject(lateError())
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    // Either may fail when the result is no longer needed.
    tooLong.promise.catch(() => {})
    const found = queue(asker, async () => (signal.aborted ? tooLong.promise : resolve(name)))
    found.catch(() => {})
    try {
      return await Promise.race([found, tooLong.promise])
    } catch (error) {
      // The account has too many waiting look-ups.
      throw error instanceof AppError ? lateError() : error
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }
}

const lateError = (): Error => Object.assign(new Error('The name was not looked up in time.'), { code: 'ETIMEOUT' })

/** The look-ups of this thread. */
export const lookups = createLookups()
