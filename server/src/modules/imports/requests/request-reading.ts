import { addAbortSignal } from 'node:stream'
import { AppError } from '#platform/app-error.ts'
import { createFairQueue } from '#platform/waits/fair-queue.ts'
import { beneficiaryOf } from '#platform/waits/shares.ts'
import { type ReadingLimits, ReadingMeter } from '../reading/reading-meter.ts'
import type { SourceFile } from '../reading/source-file.ts'

/**
 * Finds an uploaded file for a request (`open`) and reads it: the only way for requests to read files. It ends when the
 * caller disconnects, which also happens when the server stops.
 * @param signal of the request
 * @throws too_many_requests if its turn does not come soon; ReadEnough; unavailable if the storage is slow
 */
export type RequestReading = <T>(
  open: (signal: AbortSignal) => Promise<SourceFile>,
  signal: AbortSignal,
  work: (file: SourceFile) => Promise<T>,
) => Promise<T>

type Limits = ReadingLimits & {
  /** Maximum numbers of files read at once, in all and of one account. Each person reads at most one. */
  atOnce: number
  ofAccount: number
  /** Maximum numbers of waiting requests of a person, and of waiting persons of an account. */
  waiting: number
  waitMs: number
  mostMs: number
}

export const readInRequest = createRequestReading({
  atOnce: 2,
  ofAccount: 1,
  waiting: 10,
  waitMs: 15_000,
  mostMs: 60_000,
  bytes: 128 * 1024 * 1024,
  cpuMs: 2000,
})

export function createRequestReading(limits: Limits): RequestReading {
  const ofPersons = createFairQueue({ atOnce: Infinity, each: 1, waiting: limits.waiting })
  const ofAccounts = createFairQueue({ atOnce: limits.atOnce, each: limits.ofAccount, waiting: limits.waiting })
  return async (open, signal, work) => {
    const { person, account } = beneficiaryOf(signal) ?? { person: '', account: null }
    const turn = endingAfter(signal, limits.waitMs, tooMany)
    const read = async () => {
      turn.settle()
      const end = endingAfter(signal, limits.mostMs, () => new AppError('unavailable'))
      try {
        return await work(metered(await open(end.signal), limits, end.signal))
      } catch (error) {
        end.signal.throwIfAborted()
        throw error
      } finally {
        end.settle()
      }
    }
    try {
      return await ofPersons(person, () => ofAccounts(account ?? '', read, turn.signal), turn.signal)
    } finally {
      turn.settle()
    }
  }
}

function metered(file: SourceFile, limits: ReadingLimits, signal: AbortSignal): SourceFile {
  const meter = new ReadingMeter(limits, signal)
  return {
    ...file,
    meter,
    async stream(start, end) {
      meter.wait()
      signal.throwIfAborted()
      return addAbortSignal(signal, await file.stream(start, end))
    },
  }
}

/** Returns a signal that is aborted together with another one, or after a time with its own reason. */
function endingAfter(signal: AbortSignal, ms: number, reason: () => Error) {
  const ends = new AbortController()
  const onAbort = (): void => ends.abort(signal.reason)
  const timer = setTimeout(() => ends.abort(reason()), ms)
  const settle = (): void => {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  return { signal: ends.signal, settle }
}

const tooMany = (): AppError =>
  new AppError(
    'too_many_requests',
    undefined,
    'The portal is reading other files for you or your account. Wait until they are shown, and try again.',
  )
