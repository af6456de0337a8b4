type Waiting = { start: () => void; party: string }

/** Work of several parties on a limited number of places. Parties take turns, whatever one of them has waiting. */
export class Turns {
  private running = 0
  /** In the order of turns: of each party its own, oldest first. */
  private readonly queues = new Map<string, Waiting[]>()
  private readonly places: number

  /** `places`: how much runs at the same time. */
  constructor(places: number) {
    this.places = places
  }

  /** Runs `work` when a place is free. @throws the reason of `signal` once that is aborted before */
  async take<T>(party: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    await this.enter(party, signal)
    try {
      return await work()
    } finally {
      this.running--
      this.startNext()
    }
  }

  private enter(party: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.leave(waiting)
        reject(signal.reason as Error)
      }
      const waiting: Waiting = {
        party,
        start: () => {
          signal.removeEventListener('abort', onAbort)
          resolve()
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      const queue = this.queues.get(party)
      if (queue) queue.push(waiting)
      else this.queues.set(party, [waiting])
      if (this.running < this.places) this.startNext()
    })
  }

  private startNext(): void {
    const [party, queue] = this.queues.entries().next().value ?? []
    const waiting = queue?.shift()
    if (party === undefined || !queue || !waiting) return
    // The party goes to the end of the line.
    this.queues.delete(party)
    if (queue.length > 0) this.queues.set(party, queue)
    this.running++
    waiting.start()
  }

  private leave(waiting: Waiting): void {
    const queue = this.queues.get(waiting.party)?.filter((each) => each !== waiting) ?? []
    if (queue.length > 0) this.queues.set(waiting.party, queue)
    else this.queues.delete(waiting.party)
  }
}
