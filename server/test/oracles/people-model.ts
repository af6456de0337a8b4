// A naive model of contacts that imports recognize by their email address, with their events, merges, deletes and their undos.

export type Values = { email: string; city: string; note: string }
type Field = keyof Values

/** `edits`: how many were made of the contact itself. */
export type Person = { id: string; key: string; values: Values; edits: number }

/**
 * A former key by which a person is found since a merge; null where another person has it by now. `via`: the later merges by which
 * the holder got it.
 */
type Former = { merge: MergeModel; key: string | null; holder: Person; via: MergeModel[] }

/** `id`: of the delete that keeps the other person. */
export type MergeModel = {
  id: string
  kept: Person
  other: Person
  changes: { field: Field; from: string; to: string }[]
  formersOfOther: Former[]
  isUndone: boolean
  isErased: boolean
}

export type Deleted = { person: Person; formers: Former[] }

const keyOf = ({ email }: Values): string => email.toLowerCase()

export class PeopleModel {
  people = new Set<Person>()
  #formers: Former[] = []
  #merges: MergeModel[] = []
  /** The person of whom each event was recorded. */
  #events = new Map<string, Person>()

  #find(key: string): Person | undefined {
    const own = [...this.people].find((person) => person.key === key)
    return own ?? this.#formers.find((former) => former.key === key)?.holder
  }

  /** Whether someone else has a key. */
  #isHeld(key: string, except: Person | null): boolean {
    const others = [...this.people].filter((person) => person !== except)
    return (
      others.some((person) => person.key === key) ||
      this.#formers.some((former) => former.key === key && former.holder !== except)
    )
  }

  import(row: Values): void {
    const known = this.#find(keyOf(row))
    if (known) known.values = { ...row }
    else this.people.add({ id: '', key: keyOf(row), values: { ...row }, edits: 0 })
  }

  /** Gives a person that an import has just added the id of their contact. */
  name(id: string, email: string): void {
    if ([...this.people].some((person) => person.id === id)) return
    const added = [...this.people].find((person) => person.id === '' && person.key === email.toLowerCase())
    if (added) added.id = id
  }

  /** `taken`: the fields whose values come from the other. Null for a merge that is refused. */
  merge(kept: Person, other: Person, taken: readonly Field[]): MergeModel | null {
    const changes = taken.map((field) => ({ field, from: kept.values[field], to: other.values[field] }))
    const email = changes.find(({ field }) => field === 'email')?.to
    const key = email === undefined ? kept.key : email.toLowerCase()
    const others = [...this.people].filter((person) => person !== kept && person !== other)
    const isHeld =
      others.some((person) => person.key === key) ||
      this.#formers.some((former) => former.key === key && former.holder !== kept && former.holder !== other)
    if (isHeld) return null
    const formersOfOther = this.#formers.filter(({ holder }) => holder === other).map((former) => ({ ...former }))
    const merge: MergeModel = { id: '', kept, other, changes, formersOfOther, isUndone: false, isErased: false }
    this.#merges.push(merge)
    for (const former of this.#formers) {
      if (former.holder === other) Object.assign(former, { holder: kept, via: [...former.via, merge] })
    }
    for (const each of [other.key, kept.key]) this.#formers.push({ merge, key: each, holder: kept, via: [] })
    this.people.delete(other)
    kept.values = { ...kept.values }
    for (const { field, to } of changes) kept.values[field] = to
    kept.key = key
    return merge
  }

  #holderOf(merge: MergeModel): Person | undefined {
    return this.#formers.find((former) => former.merge === merge)?.holder
  }

  /** Not while the person is merged into someone else in turn, nor once the other one is erased for good. */
  mayUndo(merge: MergeModel): boolean {
    if (merge.isErased) return false
    const holder = this.#holderOf(merge)
    return holder === undefined || holder === merge.kept
  }

  /** Returns whether the other person has returned. */
  undoMerge(merge: MergeModel): boolean {
    const { kept, other, changes, formersOfOther } = merge
    const before = { formers: this.#formers, values: kept.values, key: kept.key }
    if (this.#holderOf(merge) !== undefined) {
      const gone = new Set([merge, ...formersOfOther.map((former) => former.merge)])
      this.#formers = this.#formers.filter((former) => !gone.has(former.merge))
      kept.values = { ...kept.values }
      for (const { field, from, to } of changes) if (kept.values[field] === to) kept.values[field] = from
      kept.key = keyOf(kept.values)
    }
    const isTaken = (this.people.has(kept) && this.#isHeld(kept.key, kept)) || this.#isHeld(other.key, other)
    if (isTaken) {
      this.#formers = before.formers
      Object.assign(kept, { values: before.values, key: before.key })
      return false
    }
    merge.isUndone = true
    this.people.add(other)
    this.#addFormers(other, formersOfOther)
    return true
  }

  #addFormers(holder: Person, formers: readonly Former[]): void {
    for (const { merge, key, via } of formers) {
      if (merge.isUndone || via.some(({ isUndone }) => isUndone)) continue
      this.#formers.push({ merge, holder, via, key: key !== null && this.#isHeld(key, holder) ? null : key })
    }
  }

  delete(people: readonly Person[]): Deleted[] {
    return people.map((person) => {
      const formers = this.#formers.filter(({ holder }) => holder === person)
      this.#formers = this.#formers.filter(({ holder }) => holder !== person)
      this.people.delete(person)
      return { person, formers }
    })
  }

  /** Returns those who stay deleted, as someone else has their key. */
  restore(deleted: readonly Deleted[]): Deleted[] {
    const stay = deleted.filter(({ person }) => this.#isHeld(person.key, person))
    const returned = deleted.filter((each) => !stay.includes(each))
    for (const { person } of returned) this.people.add(person)
    for (const { person, formers } of returned) this.#addFormers(person, formers)
    return stay
  }

  /** Erases deleted people for good, and those who were merged into them. */
  erase(people: readonly Person[]): void {
    for (const merge of this.#merges) {
      if (merge.isUndone || merge.isErased || !people.includes(merge.kept)) continue
      merge.isErased = true
      this.erase([merge.other])
    }
  }

  eraseMerge(merge: MergeModel): void {
    merge.isErased = true
    this.erase([merge.other])
  }

  record(event: string, person: Person): void {
    this.#events.set(event, person)
  }

  /**
   * The people who have or had an event: the one of whom it was recorded, the one into whom that one is merged, and so on. It
   * belongs to the last one.
   */
  holdersOf(event: string): Person[] {
    const holders: Person[] = []
    for (let next = this.#events.get(event); next; next = this.#mergedInto(next)) holders.push(next)
    return holders
  }

  #mergedInto(person: Person): Person | undefined {
    return this.#merges.find((merge) => merge.other === person && !merge.isUndone)?.kept
  }

  /** The events of people who are not deleted, with their contacts. */
  events(): { id: string; contact: string }[] {
    return [...this.#events.keys()].flatMap((id) => {
      const holder = this.holdersOf(id).at(-1)
      return holder && this.people.has(holder) ? [{ id, contact: holder.id }] : []
    })
  }
}
