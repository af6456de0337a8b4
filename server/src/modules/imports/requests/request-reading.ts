import { addAbortSignal } from 'node:stream'
import { AppError } from '#platform/app-error.ts'
import { createFairQueue } from '#platform/waits/fair-queue.ts'
import { beneficiaryOf } from '#platform/waits/shares.ts'
import { type ReadingLimits, ReadingMeter } from '../reading/reading-meter.ts'
import type { SourceFile } from '../reading/source-file.ts'

/**
 * Reads an uploaded file for a request: the only way in which one does, for whatever it wants to know of the file. It ends when
 * the caller leaves, which they also do when the server stops.
 * @param signal of the request
 * @throws too_many_requests when its turn does not come soon; ReadEnough; unavailable when the storage is slow
 */
export type RequestReading = <T>(
  file: SourceFile,
  signal: AbortSignal,
  work: (file: SourceFile) => Promise<T>,
) => Promise<T>

type Limits = ReadingLimits & {
  /** Files that are read at once, and those of an account among them. Each person reads one. */
  atOnce: number
  ofAccount: number
  /** Requests of a person, and persons of an account, that wait for their turn. */
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
  return async (file, signal, work) => {
    const { person, account } = beneficiaryOf(signal) ?? { person: '', account: null }
    const turn = endingAfter(signal, limits.waitMs, tooMany)
    const read = async () => {
      turn.settle()
      const end = endingAfter(signal, limits.mostMs, () => new AppError('unavailable'))
      try {
        return await work(metered(file, limits, end.signal))
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

/** A signal that is aborted with another one, and for a reason of its own after a time. */
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
