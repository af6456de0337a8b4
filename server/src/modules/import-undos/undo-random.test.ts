import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest'
import { recordEvents } from '#contacts'
import { newEvent } from '#test/resources/events.ts'
import { importAtOnce, readImport, runUndoOf } from '#test/resources/import-undos.ts'
import { contactsOf } from '#test/resources/imports.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'
import { drawsOf } from '#test/oracles/random-filters.ts'
import { rounds } from '#test/processes/rounds.ts'

// Imports, edits, deletes, events and undos in random order, compared with a naive model of the remaining contacts.

let portal: TestPortal
beforeAll(async () => {
  // No worker in this process: the test runs the jobs.
  portal = await startPortal()
})
afterAll(() => portal.close())

const offers = '/contact-service/v1/offers'
const fields = ['Email', 'City', 'Note'] as const
type Field = (typeof fields)[number]
type Values = Partial<Record<Field, string>>

/** A value that an import has changed. */
type Change = { before: string | undefined; after: string }
/** `isKept`: whether the import that created it was undone. */
type Contact = {
  values: Values
  createdBy: number
  isTouched: boolean
  isKept: boolean
  changes: Map<number, Map<Field, Change>>
}

/** The expected contacts, by the key that imports match them by. */
class Model {
  readonly contacts = new Map<string, Contact>()

  load(number: number, rows: readonly Values[]): void {
    const merged = new Map<string, Values>()
    for (const row of rows) {
      const key = row.Email?.toLowerCase() ?? ''
      const known = merged.get(key) ?? {}
      for (const field of fields) if (row[field]) known[field] = row[field]
      merged.set(key, known)
    }
    for (const [key, values] of merged) {
      const contact = this.contacts.get(key)
      if (contact) change(contact, number, values)
      else this.contacts.set(key, { values, createdBy: number, isTouched: false, isKept: false, changes: new Map() })
    }
  }

  undo(number: number): void {
    for (const [key, contact] of this.contacts) {
      if (contact.createdBy === number) contact.isKept = true
      const isChangedByOthers = [...contact.changes.keys()].some((other) => other !== number)
      if (contact.isKept && !contact.isTouched && !isChangedByOthers) this.contacts.delete(key)
      for (const [field, { before, after }] of contact.changes.get(number) ?? []) {
        const later = [...contact.changes]
          .find(([other, changes]) => other > number && changes.has(field))?.[1]
          .get(field)
        if (later) {
          // The value of before is now the one that the later import changed.
          if (later.before === after) later.before = before
          continue
        }
        if (contact.values[field] !== after) continue
        if (before === undefined) delete contact.values[field]
        else contact.values[field] = before
      }
      contact.changes.delete(number)
    }
  }

  /** As the API lists them, by key. */
  listed(): unknown[] {
    return [...this.contacts]
      .map(([key, { values }]) => [key, values.Email, values.City, values.Note])
      .toSorted((one, other) => String(one[0]).localeCompare(String(other[0])))
  }
}

function change(contact: Contact, number: number, values: Values): void {
  for (const field of fields) {
    const after = values[field]
    const before = contact.values[field]
    if (after === undefined || after === before) continue
    contact.values[field] = after
    const changes = contact.changes.get(number) ?? new Map<Field, Change>()
    changes.set(field, { before, after })
    contact.changes.set(number, changes)
  }
}

test('random imports, edits, deletes, events and undos leave the expected contacts', { timeout: 600_000 }, async () => {
  const seed = Math.floor(Math.random() * 1e9)
  const { below, chance, one } = drawsOf(seed)
  const many = rounds(60, 300)
  const member = await portal.member(await portal.account())
  const model = new Model()
  const undoable: number[] = []
  const log: string[] = []
  onTestFailed(() => void process.stderr.write(`seed ${seed}\n${log.join('\n')}\n`))

  const stored = async () => {
    const found = await contactsOf(member)
    return found.map(({ _id, Email, City, Note }) => ({
      id: _id,
      key: String(Email).toLowerCase(),
      Email,
      City,
      Note,
    }))
  }
  const anyStored = async () => {
    const found = await stored()
    return found.length > 0 ? one(found) : undefined
  }
  const drawRow = (): Values => {
    const email = `${one(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])}@x`
    return {
      Email: chance(0.2) ? email.toUpperCase() : email,
      City: one(['', 'Bern', 'Rome', 'Oslo']),
      Note: one(['', 'short', 'x'.repeat(40), 'y'.repeat(50)]),
    }
  }
  const acts: Record<string, () => Promise<void>> = {
    async import() {
      const rows = Array.from({ length: 1 + below(6) }, drawRow)
      const text = ['Email,City,Note', ...rows.map(({ Email, City, Note }) => `${Email},${City},${Note}`)].join('\n')
      const settings = { dedupColumns: ['Email'], dedupHashMatching: true }
      const { _id, status } = await importAtOnce(portal, member, `${text}\n`, settings)
      expect(status).toBe('completed')
      log.push(`import ${_id}: ${JSON.stringify(rows)}`)
      model.load(Number(_id), rows)
      undoable.push(Number(_id))
    },
    async edit() {
      const contact = await anyStored()
      if (!contact) return
      const to = one(['Paris', 'Bern'])
      const from = typeof contact.City === 'string' ? contact.City : null
      if (from === to) return
      const answer = await member.put(`${offers}/${contact.id}`, { changes: { City: { from, to } } })
      // The field may have been removed with the import that created it.
      if (answer.status !== 200) return
      log.push(`edit ${contact.key}: ${to}`)
      const known = model.contacts.get(contact.key)
      if (!known) throw new Error('The model has no such contact.')
      known.values.City = to
      known.isTouched = true
    },
    async event() {
      const contact = await anyStored()
      if (!contact || chance(0.7)) return
      await recordEvents(portal.parts.database.db, member.account, [newEvent(contact.id)])
      log.push(`event ${contact.key}`)
      const known = model.contacts.get(contact.key)
      if (known) known.isTouched = true
    },
    async delete() {
      const contact = await anyStored()
      if (!contact) return
      const filter = [{ $match: { Email: contact.Email } }]
      const answer = await member.delete(offers, { filter, deletedRecords: 1 })
      expect(answer.status).toBe(200)
      log.push(`delete ${contact.key}`)
      model.contacts.delete(contact.key)
    },
    async undo() {
      const number = undoable.splice(below(undoable.length), 1)[0]
      if (number === undefined) return
      log.push(`undo ${number}`)
      expect(await member.post(`/contact-service/v1/imports/${number}/undo`)).toMatchObject({ status: 202 })
      await runUndoOf(portal, member, String(number))
      expect((await readImport(member, String(number))).undo).toMatchObject({ status: 'completed' })
      model.undo(number)
    },
  }
  for (let round = 0; round < many; round++) {
    await acts[one(['import', 'import', 'import', 'edit', 'event', 'delete', 'undo', 'undo'])]?.()
    const found = (await stored()).map(({ key, Email, City, Note }) => [key, Email, City, Note])
    expect(found.toSorted((a, b) => String(a[0]).localeCompare(String(b[0])))).toEqual(model.listed())
  }
})
