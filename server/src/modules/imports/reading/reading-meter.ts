import { setImmediate } from 'node:timers/promises'
import { FileRefused } from './source-text-refused.ts'

/** Limits of a request that reads a file: bytes that it unpacks, and milliseconds of the processor. */
export type ReadingLimits = { bytes: number; cpuMs: number }

/** A request has read as much of a file as it may. */
export class ReadEnough extends FileRefused {}

/** Other requests are answered at least as often. */
const stepMs = 10

/**
 * Limits what a request reads of a file, and lets other requests be answered meanwhile. It counts at the sources, the storage
 * and what unpacks its bytes, so no reader above them can forget it.
 */
export class ReadingMeter {
  readonly #limits: ReadingLimits
  readonly #signal: AbortSignal
  #bytes = 0
  #cpuMs = 0
  /** Processor time of this thread when the reader got what it works on; null while it waits for more. */
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

  /** Passes bytes on to their reader, whose work with them is counted. */
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

  /** Lets others take a turn, if they had none for a while; for loops of short steps. @throws the reason of the signal */
  async turn(): Promise<void> {
    this.wait()
    if (performance.now() - this.#steppedAt >= stepMs) {
      await setImmediate()
      this.#steppedAt = performance.now()
    }
    this.#signal.throwIfAborted()
    this.#since = cpuMs()
  }

  /** The reader waits for the storage: what the thread does from now on is work for others. */
  wait(): void {
    if (this.#since !== null) this.#cpuMs += cpuMs() - this.#since
    this.#since = null
  }
}

/** Of this thread. */
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
