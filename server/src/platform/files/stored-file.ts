import { PassThrough, type Writable } from 'node:stream'
import type { PutOptions, Storage } from '../storage.ts'

/** A file that is being written. One of its two ends must be called, or its writer would be waited for without end. */
export type FileWriting = {
  /** Fails with the error of the storage where that takes no more. */
  stream: Writable
  /** Ends the file, which is there from now on. Returns its size in bytes. @throws the error of the storage */
  complete: () => Promise<number>
  /** Gives the file up. Nothing of it stays. */
  abandon: (error: unknown) => Promise<void>
}

/**
 * Begins to write a file for work that may fail. The file is there only once `complete` has returned. For work that ends where
 * it begins, see `storeWritten`.
 */
export function beginFile(storage: Pick<Storage, 'put'>, key: string, options?: PutOptions): FileWriting {
  const stream = new PassThrough()
  // Reported by the storage, or by the work that is abandoned.
  stream.on('error', () => {})
  const stored = storage.put(key, stream, options)
  // A failed storage does not end the stream, and its writer would wait forever.
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

/** Stores what `write` writes: whatever that throws, nothing of the file stays. Returns the size in bytes. */
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
