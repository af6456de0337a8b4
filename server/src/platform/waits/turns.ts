import { AppError } from '../app-error.ts'
import { beneficiaryNow } from './reading-limits.ts'
import { type Beneficiary, familyOf } from './shares.ts'

/**
 * Lets one caller of a key proceed at a time. The families of accounts that wait take turns, and in a family its people and
 * programs: a caller with much waiting delays each of the others by one turn.
 */
export type Turns = {
  /**
   * Waits for the turn, and returns the function that ends it; null if it did not come within `waitMs`. `isPortalWide`:
   * all accounts wait for this key, so a person and a family may have only a few requests waiting.
   * @throws too_many_requests at once if they have more
   */
  take: (key: bigint, waitMs: number, options?: { isPortalWide?: boolean }) => Promise<(() => void) | null>
}

// More than a page sends at once, and short enough for the last of them to come before the wait ends.
const mostOfPerson = 10
const mostOfFamily = 20

type Waiting = { go: () => void; of: Beneficiary | undefined }

export function createTurns(): Turns {
  // The callers that wait for the current one.
  const lines = new Map<bigint, Line>()

  function end(key: bigint): void {
    const next = lines.get(key)?.next()
    if (next) next.go()
    else lines.delete(key)
  }
  return {
    async take(key, waitMs, { isPortalWide = false } = {}) {
      const of = beneficiaryNow()
      const line = lines.get(key)
      if (!line) {
        lines.set(key, new Line())
      } else {
        if (isPortalWide && of) line.requireRoom(of)
        const came = await new Promise<boolean>((resolve) => {
          const waiting: Waiting = {
            of,
            go: () => {
              clearTimeout(timer)
              resolve(true)
            },
          }
          const timer = setTimeout(() => {
            line.remove(waiting)
            resolve(false)
          }, waitMs)
          line.add(waiting)
        })
        if (!came) return null
      }
      let isOver = false
      return () => {
        if (!isOver) end(key)
        isOver = true
      }
    },
  }
}

/** Those who wait for one key. Work of the portal itself waits like an account. */
class Line {
  /** By family, then by person, both in the order of turns: one whose turn has come moves to the end. */
  readonly #families = new Map<string, Map<string, Waiting[]>>()

  add(waiting: Waiting): void {
    const [family, person] = partiesOf(waiting.of)
    const people = this.#families.get(family) ?? new Map<string, Waiting[]>()
    people.set(person, [...(people.get(person) ?? []), waiting])
    this.#families.set(family, people)
  }

  remove(waiting: Waiting): void {
    const [family, person] = partiesOf(waiting.of)
    const people = this.#families.get(family)
    const rest = people?.get(person)?.filter((each) => each !== waiting) ?? []
    if (rest.length > 0) people?.set(person, rest)
    else people?.delete(person)
    if (people?.size === 0) this.#families.delete(family)
  }

  next(): Waiting | undefined {
    for (const [family, people] of this.#families) {
      for (const [person, [next, ...rest]] of people) {
        this.#families.delete(family)
        people.delete(person)
        if (rest.length > 0) people.set(person, rest)
        if (people.size > 0) this.#families.set(family, people)
        return next
      }
    }
    return undefined
  }

  /** @throws too_many_requests */
  requireRoom(of: Beneficiary): void {
    const waiting = [...this.#families.values()].flatMap((people) => [...people.values()].flat())
    // In all accounts together: a person may have access to many.
    if (waiting.filter((each) => each.of?.person === of.person).length >= mostOfPerson) {
      throw new AppError(
        'too_many_requests',
        undefined,
        'You are making too many changes at the same time. Make them one after the other.',
      )
    }
    const [family] = partiesOf(of)
    if ([...(this.#families.get(family)?.values() ?? [])].flat().length >= mostOfFamily) {
      throw new AppError(
        'too_many_requests',
        undefined,
        'People of this account, or of one related to it, are making too many changes at the same time. Try again in a moment.',
      )
    }
  }
}

/** The family of the account, or the person before they have chosen one, and the person. */
function partiesOf(of: Beneficiary | undefined): [family: string, person: string] {
  if (of === undefined) return ['', '']
  const family = familyOf(of)
  return [family === null ? of.person : String(family), of.person]
}
