import { setImmediate as nextTurn } from 'node:timers/promises'
import { freeing } from '../waits/reading-limits.ts'

/** Texts are read together up to this size in bytes. */
const sliceBytes = 4_000_000

/**
 * Yields rows with long texts, which are read in slices: only a few are in memory, and other requests are answered
 * between two rows.
 * @param keys what `read` needs to find the rows, with the size of each text in bytes
 */
export async function* readInSlices<Key extends { bytes: number }, Row>(
  keys: readonly Key[],
  read: (slice: readonly Key[]) => Promise<Row[]>,
): AsyncGenerator<Row> {
  for (const slice of slicesOf(keys)) {
    for (const row of await freeing(() => read(slice))) {
      yield row
      await nextTurn()
    }
  }
}

/** Yields slices of keys whose texts may be in memory together, with at least one key each. */
export function* slicesOf<Key extends { bytes: number }>(keys: readonly Key[]): Generator<readonly Key[]> {
  let slice: Key[] = []
  let bytes = 0
  for (const key of keys) {
    if (slice.length > 0 && bytes + key.bytes > sliceBytes) {
      yield slice
      slice = []
      bytes = 0
    }
    slice.push(key)
    bytes += key.bytes
  }
  if (slice.length > 0) yield slice
}
