import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'

/**
 * Bytes of some rows of one slice (a run of rows), for one group of columns. Slices come in order, each in one or more
 * pieces.
 */
export type SlicePiece = { slice: number; group: number; bytes: Buffer }

// Maximum number of bytes queued for a lane: enough to continue reading while the database writes the previous slice.
const waitingBytes = 16 * 1024 * 1024

/**
 * Distributes slices to `lanes` connections that load them in parallel. Reading pauses while lanes are busy, so memory
 * stays within `lanes` × 16 MB for rows of any size. `load` gets a slice's bytes, one stream per group. The first
 * failure stops all lanes and is thrown.
 */
export async function feedLanes(
  pieces: AsyncIterable<SlicePiece>,
  options: { lanes: number; groups: number },
  load: (slice: number, groups: Readable[]) => Promise<void>,
): Promise<void> {
  const failed = new AbortController()
  const running = new Set<Promise<void>>()
  // A list of at most one: TypeScript would lose the type of a plain variable assigned in a callback.
  const open: { slice: number; groups: PassThrough[] }[] = []
  const closeOpen = (error?: Error) => {
    for (const stream of open.pop()?.groups ?? []) {
      if (error) stream.destroy(error)
      else stream.end()
    }
  }

  const start = async (slice: number) => {
    closeOpen()
    while (running.size >= options.lanes) await Promise.race(running)
    failed.signal.throwIfAborted()
    const groups = Array.from({ length: options.groups }, () => new PassThrough({ highWaterMark: waitingBytes }))
    // `load` reports failures; without a listener the stream's own error event would end the process.
    for (const stream of groups) stream.on('error', () => {})
    const task = load(slice, groups)
      .catch((error: unknown) => failed.abort(error))
      .finally(() => running.delete(task))
    running.add(task)
    open.push({ slice, groups })
    return groups
  }

  try {
    for await (const { slice, group, bytes } of pieces) {
      const groups = open[0]?.slice === slice ? open[0].groups : await start(slice)
      const stream = groups[group]
      if (stream && !stream.write(bytes)) await once(stream, 'drain', { signal: failed.signal })
      failed.signal.throwIfAborted()
    }
    closeOpen()
  } catch (error) {
    if (!failed.signal.aborted) failed.abort(error)
    closeOpen(failed.signal.reason as Error)
  }
  await Promise.all(running)
  failed.signal.throwIfAborted()
}

/** Runs the lanes in parallel and waits for all of them, even after a failure; then throws its error. */
export async function runLanes(
  lanes: readonly number[],
  work: (lane: number, isFailed: () => boolean) => Promise<void>,
): Promise<void> {
  let failed = false
  const results = await Promise.allSettled(
    lanes.map((lane) =>
      work(lane, () => failed).catch((error: unknown) => {
        failed = true
        throw error
      }),
    ),
  )
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
