import { type Beneficiary, familyOf } from '#platform/waits/shares.ts'

type Waiting = { start: () => void; of: Beneficiary }

/** How much runs at the same time: in total, for one person, one account, and a parent account with its sub-accounts. */
type Places = { all: number; person: number; account: number; family: number }

/**
 * Runs the work of several people in a limited number of places. People take turns, regardless of how much work each
 * has waiting. No person, account or family of accounts can take all places: the rest serve others while its work is slow.
 */
export class Turns {
  private readonly running = new Set<Waiting>()
  /** In the order of turns: a queue for each person, oldest first. */
  private readonly queues = new Map<string, Waiting[]>()
  private readonly places: Places

  constructor(places: Places) {
    this.places = places
  }

  /**
   * Runs `work` when a place is free.
   * @throws the reason of `signal` if that is aborted first
   */
  async take<T>(of: Beneficiary, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const place = await this.enter(of, signal)
    try {
      return await work()
    } finally {
      this.running.delete(place)
      this.startNext()
    }
  }

  private enter(of: Beneficiary, signal: AbortSignal): Promise<Waiting> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.leave(waiting)
        reject(signal.reason as Error)
      }
      const waiting: Waiting = {
        of,
        start: () => {
          signal.removeEventListener('abort', onAbort)
          resolve(waiting)
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      const queue = this.queues.get(of.person)
      if (queue) queue.push(waiting)
      else this.queues.set(of.person, [waiting])
      this.startNext()
    })
  }

  private startNext(): void {
    if (this.running.size >= this.places.all) return
    for (const [person, queue] of this.queues) {
      const next = queue.find(({ of }) => this.isRoomFor(of))
      if (!next) continue
      // The person goes to the end of the line.
      this.leave(next)
      const rest = this.queues.get(person)
      if (rest && this.queues.delete(person)) this.queues.set(person, rest)
      this.running.add(next)
      next.start()
      return
    }
  }

  private isRoomFor(beneficiary: Beneficiary): boolean {
    const { person, account } = beneficiary
    const present = [...this.running].map(({ of }) => of)
    return (
      present.filter((of) => of.person === person).length < this.places.person &&
      present.filter((of) => of.account === account).length < this.places.account &&
      present.filter((of) => familyOf(of) === familyOf(beneficiary)).length < this.places.family
    )
  }

  private leave(waiting: Waiting): void {
    const { person } = waiting.of
    const queue = this.queues.get(person)?.filter((each) => each !== waiting) ?? []
    if (queue.length > 0) this.queues.set(person, queue)
    else this.queues.delete(person)
  }
}
