import { PassThrough, type Writable } from 'node:stream'
import type { PutOptions, Storage } from '../storage.ts'

/** A file that is being written. Call either `complete` or `abandon`, or its writer will be waited for forever. */
export type FileWriting = {
  /** Fails with the error of the storage if that accepts no more data. */
  stream: Writable
  /** Ends the file, which exists from now on. Returns its size in bytes. @throws the error of the storage */
  complete: () => Promise<number>
  /** Gives up the file. Nothing of it remains. */
  abandon: (error: unknown) => Promise<void>
}

/**
 * Starts writing a file for work that may fail. The file exists only once `complete` has returned. For work that writes
 * the file in one function, see `storeWritten`.
 */
export function beginFile(storage: Pick<Storage, 'put'>, key: string, options?: PutOptions): FileWriting {
  const stream = new PassThrough()
  // Reported by the storage, or by the work that is abandoned.
  stream.on('error', () => {})
  const stored = storage.put(key, stream, options)
  // A failed storage does not end the stream: its writer would wait forever.
  stored.catch((error: unknown) => stream.destroy(asError(error)))
  return {
    stream,
    async complete() {
      stream.end()
      return stored
    },
    async abandon(error) {
      stream.destroy(asError(error))
      await stored.catch(() => {})
    },
  }
}

/** Stores the output of `write`; if it throws, nothing of the file remains. Returns the size in bytes. */
export async function storeWritten(
  storage: Pick<Storage, 'put'>,
  key: string,
  write: (file: Writable) => Promise<void>,
  options?: PutOptions,
): Promise<number> {
  const file = beginFile(storage, key, options)
  try {
    await write(file.stream)
  } catch (error) {
    await file.abandon(error)
    throw error
  }
  return file.complete()
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
