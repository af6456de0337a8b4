// Contacts of a step that holds locks: an import that needs one of them hardly waits, and no contact is added meanwhile.
const most = 2000
/** About a second of work in an account of any width; most accounts begin with hundreds of contacts or more. */
const valuesAtFirst = 20_000
const quickMs = 250
const slowMs = 500

/** How many contacts a job takes at once, by the time that its earlier steps took. */
export class ContactPace {
  #atOnce: number

  /** @param fields of contacts in the account: each contact may have a value in all of them */
  constructor(fields: number) {
    this.#atOnce = Math.min(most, Math.max(1, Math.floor(valuesAtFirst / Math.max(1, fields))))
  }

  get atOnce(): number {
    return this.#atOnce
  }

  /** Notes a step: the next one is twice as large after a quick one, and at most half as large after a slow one. */
  took(ms: number): void {
    if (ms < quickMs) this.#atOnce = Math.min(most, this.#atOnce * 2)
    else if (ms > slowMs) this.#atOnce = Math.max(1, Math.floor((this.#atOnce * quickMs) / ms))
  }

  /** Notes that one of the contacts of a step cannot be taken with the others: it is looked for among fewer. */
  failed(contacts: number): void {
    this.#atOnce = Math.ceil(contacts / 8)
  }
}
