import { isConnectionLost } from '#platform/database.ts'
import type { Logger } from '#platform/log.ts'

/** Until a failed item is tried again. */
const leftOutMs = 60_000

/**
 * Items that a process leaves out for a minute because its work on them failed, by their ids: one that fails always holds up no
 * other.
 */
export class LeftOut<Id extends string | number> {
  readonly #until = new Map<Id, number>()
  readonly #log: Logger
  readonly #work: string

  /** `work`: what fails, for the log. */
  constructor(log: Logger, work: string) {
    this.#log = log
    this.#work = work
  }

  /** The ids of those that are left out now. */
  ids(): Id[] {
    const now = performance.now()
    for (const [id, until] of this.#until) if (until <= now) this.#until.delete(id)
    return [...this.#until.keys()]
  }

  /** Runs `step`. Where it fails, logs the error and leaves the item out; undefined then. @throws when the database is lost */
  async try<T>(id: Id, step: () => Promise<T>): Promise<T | undefined> {
    try {
      return await step()
    } catch (error) {
      this.failed(id, error)
      return undefined
    }
  }

  /** Logs the error of an item, and leaves it out. @throws the error when the database is lost */
  failed(id: Id, error: unknown): void {
    if (isConnectionLost(error)) throw error
    this.#until.set(id, performance.now() + leftOutMs)
    this.#log.warn({ err: error, id }, this.#work)
  }
}
