import { setImmediate } from 'node:timers/promises'
import { FileRefused } from './source-text-refused.ts'

/** Limits of a request that reads a file: unpacked bytes, and milliseconds of processor time. */
export type ReadingLimits = { bytes: number; cpuMs: number }

/** A request has read its limit of a file. */
export class ReadEnough extends FileRefused {}

/** Other requests get a turn at least this often. */
const stepMs = 10

/**
 * Limits how much a request reads of a file, and gives other requests their turn. It counts at the sources, the storage
 * and the unpacking of its bytes, so no reader above them can omit it.
 */
export class ReadingMeter {
  readonly #limits: ReadingLimits
  readonly #signal: AbortSignal
  #bytes = 0
  #cpuMs = 0
  /** Processor time of this thread when the reader received its present bytes; null while it waits for more. */
  #since: number | null = null
  #steppedAt = performance.now()

  constructor(limits: ReadingLimits, signal: AbortSignal) {
    this.#limits = limits
    this.#signal = signal
  }

  /** @throws ReadEnough; the reason of the signal once it is aborted */
  count(bytes: number): void {
    this.#signal.throwIfAborted()
    this.#bytes += bytes
    if (this.#bytes > this.#limits.bytes || this.#cpuMs > this.#limits.cpuMs) throw enough(this.#bytes)
  }

  /** Passes bytes on to their reader, whose work on them is counted. */
  async *pass(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    this.wait()
    for await (const chunk of chunks) {
      await this.turn()
      this.count(chunk.length)
      yield chunk
      this.wait()
    }
    this.#since = cpuMs()
  }

  /** Gives others a turn, if they had none for a while; for loops of short steps. @throws the reason of the signal */
  async turn(): Promise<void> {
    this.wait()
    if (performance.now() - this.#steppedAt >= stepMs) {
      await setImmediate()
      this.#steppedAt = performance.now()
    }
    this.#signal.throwIfAborted()
    this.#since = cpuMs()
  }

  /** Called when the reader waits for the storage: from now on the thread works for others. */
  wait(): void {
    if (this.#since !== null) this.#cpuMs += cpuMs() - this.#since
    this.#since = null
  }
}

/** Processor time of this thread. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function enough(bytes: number): ReadEnough {
  const megabytes = (bytes / 1_000_000).toFixed(1)
  return new ReadEnough(
    `${megabytes} MB of this file, unpacked, have been read without a row to show. Delete blank lines before its rows, and styles and sheets that are not used, or save the table alone as CSV, and upload that.`,
  )
}
