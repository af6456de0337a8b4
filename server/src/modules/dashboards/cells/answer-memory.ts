/** An answer, and when its statements began. */
export type Remembered<T> = { value: T; at: Date }

type Question<T> = { signal: AbortSignal; holds: (remembered: Remembered<T>) => boolean }
type Work<T> = (signal: AbortSignal) => Promise<T>
type Running<T> = { promise: Promise<Remembered<T>>; waiters: number; cancel: AbortController }

/**
 * Remembers answers by key, up to a number of bytes. The same question asked several times at once is computed once.
 */
export class AnswerMemory<T> {
  private readonly known = new Map<string, Remembered<T> & { bytes: number }>()
  private readonly running = new Map<string, Running<T>>()
  private bytes = 0
  private readonly mostBytes: number
  private readonly sizeOf: (value: T) => number

  /** `sizeOf`: bytes that an answer takes. The least recently used answers are removed first. */
  constructor(mostBytes: number, sizeOf: (value: T) => number) {
    this.mostBytes = mostBytes
    this.sizeOf = sizeOf
  }

  /**
   * The remembered answer if `holds` accepts it, otherwise the result of `work`. The work is cancelled when no caller
   * waits for it any longer.
   */
  async answer(key: string, { signal, holds }: Question<T>, work: Work<T>): Promise<Remembered<T>> {
    const remembered = this.known.get(key)
    if (!remembered || !holds(remembered)) return this.join(key, this.running.get(key) ?? this.start(key, work), signal)
    // The most recently used ones come last.
    this.known.delete(key)
    this.known.set(key, remembered)
    return remembered
  }

  private start(key: string, work: Work<T>): Running<T> {
    const cancel = new AbortController()
    const at = new Date()
    const promise = work(cancel.signal).then((value) => {
      this.keep(key, { value, at })
      return { value, at }
    })
    const entry: Running<T> = { promise, waiters: 0, cancel }
    this.running.set(key, entry)
    const end = (): void => this.end(key, entry)
    promise.then(end, end)
    return entry
  }

  private end(key: string, entry: Running<T>): void {
    if (this.running.get(key) === entry) this.running.delete(key)
  }

  private async join(key: string, entry: Running<T>, signal: AbortSignal): Promise<Remembered<T>> {
    entry.waiters++
    const { promise: gone, reject } = Promise.withResolvers<never>()
    const onAbort = (): void => {
      if (--entry.waiters === 0) {
        // A client that asks from now on starts the work again.
        this.end(key, entry)
        entry.cancel.abort(signal.reason)
      }
      reject(signal.reason as Error)
    }
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([entry.promise, gone])
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  private keep(key: string, remembered: Remembered<T>): void {
    this.forget(key)
    const size = this.sizeOf(remembered.value) + 2 * key.length
    // One answer must not displace most of the others.
    if (size > this.mostBytes / 4) return
    this.known.set(key, { ...remembered, bytes: size })
    this.bytes += size
    for (const oldest of this.known.keys()) {
      if (this.bytes <= this.mostBytes) break
      this.forget(oldest)
    }
  }

  private forget(key: string): void {
    this.bytes -= this.known.get(key)?.bytes ?? 0
    this.known.delete(key)
  }
}
