// A naive model of contacts that imports recognize by their email address, with their events, merges, deletes and their undos.

export type Values = { email: string; city: string; note: string }
type Field = keyof Values

/** A change of a value of a person that was not undone. */
type Write = { by: 'import' | 'edit' | MergeModel; field: Field; before: string; after: string }

/** `edits`: how many were made of the contact itself. */
export type Person = { id: string; key: string; values: Values; edits: number; writes: Write[] }

function write(person: Person, by: Write['by'], changed: Partial<Values>): void {
  for (const field of ['email', 'city', 'note'] as const) {
    const [before, after] = [person.values[field], changed[field] ?? person.values[field]]
    if (before !== after) person.writes.push({ by, field, before, after })
  }
  person.values = { ...person.values, ...changed }
}

/** The person as before a merge, where nothing else has written its values since; the next write has the value of before. */
function withoutMerge(person: Person, merge: MergeModel): Pick<Person, 'values' | 'writes'> {
  const values = { ...person.values }
  let writes = person.writes.map((each) => ({ ...each }))
  for (const own of writes.filter(({ by }) => by === merge)) {
    const later = writes.slice(writes.indexOf(own) + 1).filter(({ field }) => field === own.field)
    const isImported = later.some(({ by }) => by === 'import')
    if (!isImported && values[own.field] === own.after) values[own.field] = own.before
    if (later[0]?.before === own.after) later[0].before = own.before
    writes = writes.filter((each) => each !== own)
  }
  return { values, writes }
}

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

  import(rows: readonly Values[]): void {
    // The rows of one person are merged before they change the contact.
    const merged = new Map<Person | string, Values>()
    for (const row of rows) merged.set(this.#find(keyOf(row)) ?? keyOf(row), row)
    for (const [known, row] of merged) {
      if (typeof known !== 'string') write(known, 'import', row)
      else this.people.add({ id: '', key: known, values: { ...row }, edits: 0, writes: [] })
    }
  }

  edit(person: Person, changed: Partial<Values>): void {
    write(person, 'edit', changed)
    person.edits += 1
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
    const merge: MergeModel = { id: '', kept, other, formersOfOther, isUndone: false, isErased: false }
    this.#merges.push(merge)
    for (const former of this.#formers) {
      if (former.holder === other) Object.assign(former, { holder: kept, via: [...former.via, merge] })
    }
    for (const each of [other.key, kept.key]) this.#formers.push({ merge, key: each, holder: kept, via: [] })
    this.people.delete(other)
    write(kept, merge, Object.fromEntries(changes.map(({ field, to }) => [field, to])))
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
    const { kept, other, formersOfOther } = merge
    const { values, writes, key } = kept
    const before = { formers: this.#formers, kept: { values, writes, key } }
    if (this.#holderOf(merge) !== undefined) {
      const gone = new Set([merge, ...formersOfOther.map((former) => former.merge)])
      this.#formers = this.#formers.filter((former) => !gone.has(former.merge))
      Object.assign(kept, withoutMerge(kept, merge))
      kept.key = keyOf(kept.values)
    }
    const isTaken = (this.people.has(kept) && this.#isHeld(kept.key, kept)) || this.#isHeld(other.key, other)
    if (isTaken) {
      this.#formers = before.formers
      Object.assign(kept, before.kept)
      return false
    }
    // The other may have been the one that stayed in merges that were undone meanwhile.
    if (!this.#revert(other)) {
      this.#formers = before.formers
      Object.assign(kept, before.kept)
      return false
    }
    merge.isUndone = true
    this.people.add(other)
    this.#addFormers(other, formersOfOther)
    return true
  }

  /** Takes back merges that were undone while a person was gone. Returns whether the key of before is free. */
  #revert(person: Person): boolean {
    const undone = new Set(person.writes.flatMap(({ by }) => (typeof by === 'object' && by.isUndone ? [by] : [])))
    if (undone.size === 0) return true
    const before = { values: person.values, writes: person.writes }
    for (const merge of [...undone].toReversed()) Object.assign(person, withoutMerge(person, merge))
    if (this.#isHeld(keyOf(person.values), person)) {
      Object.assign(person, before)
      return false
    }
    person.key = keyOf(person.values)
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
    const held = deleted.filter(({ person }) => this.#isHeld(person.key, person))
    const returned = deleted.filter((each) => {
      if (held.includes(each) || !this.#revert(each.person)) return false
      this.people.add(each.person)
      return true
    })
    for (const { person, formers } of returned) this.#addFormers(person, formers)
    return deleted.filter((each) => !returned.includes(each))
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
