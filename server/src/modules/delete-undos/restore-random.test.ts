import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest'
import { recordEvents } from '#contacts'
import { runDelete } from '#deletes'
import { JobInterrupted } from '#platform/jobs/jobs.ts'
import { askRestore, deleteBy, readDelete, runRestoreOf } from '#test/resources/delete-undos.ts'
import { newEvent } from '#test/resources/events.ts'
import { importAtOnce } from '#test/resources/import-undos.ts'
import { contactsOf } from '#test/resources/imports.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'
import { drawsOf } from '#test/oracles/random-filters.ts'
import { type Deleted, type MergeModel, PeopleModel, type Person, type Values } from '#test/oracles/people-model.ts'
import { rounds } from '#test/processes/rounds.ts'

// Imports, edits, events, merges, deletes and undone or erased deletes and merges in random order, during bulk deletes too,
// compared with a naive model of the contacts.

let portal: TestPortal
beforeAll(async () => {
  // No worker in this process: the test runs the jobs.
  portal = await startPortal()
})
afterAll(() => portal.close())

const offers = '/contact-service/v1/offers'
const fieldNames = { email: 'Email', city: 'City', note: 'Note' } as const
const fields = ['email', 'city', 'note'] as const

/** A bulk delete in the middle of its work. `left`: the contacts that it has not come to. */
type Running = { id: string; left: Person[]; people: Deleted[] }

/** The signal of a worker that stops after one step. */
function afterOneStep(): AbortSignal {
  const { signal } = new AbortController()
  let steps = 0
  return Object.defineProperty(signal, 'aborted', { get: () => steps++ > 0 })
}

test(
  'random imports, edits, events, merges, deletes and undone ones leave the expected contacts',
  { timeout: 600_000 },
  async () => {
    const seed = Math.floor(Math.random() * 1e9)
    const { below, chance, one } = drawsOf(seed)
    const member = await portal.member(await portal.account())
    const log: string[] = []
    onTestFailed(() => void process.stderr.write(`seed ${seed}\n${log.join('\n')}\n`))
    const model = new PeopleModel()
    const deleted: { id: string; people: Deleted[] }[] = []
    const merges: MergeModel[] = []
    let running: Running | null = null
    const schema = `account_${member.account}`
    const { db, pool } = portal.parts.database
    const rowsOf = async (text: string) => (await pool.query<Record<string, string>>(text)).rows

    const drawRow = (): Values => {
      const email = `${one('abcdefghij'.split(''))}@x`
      return {
        email: chance(0.2) ? email.toUpperCase() : email,
        city: one(['Bern', 'Rome', 'Oslo']),
        note: one(['short', 'x'.repeat(40), '"quoted, with a comma"']),
      }
    }
    const acts: Record<string, () => Promise<void>> = {
      async import() {
        const rows = Array.from({ length: 1 + below(6) }, drawRow)
        const lines = rows.map(({ email, city, note }) => `${email},${city},${note}`)
        const settings = { dedupColumns: ['Email'], dedupHashMatching: true }
        const { status } = await importAtOnce(portal, member, `Email,City,Note\n${lines.join('\n')}\n`, settings)
        expect(status).toBe('completed')
        log.push(`import: ${JSON.stringify(rows)}`)
        model.import(rows.map((row) => ({ ...row, note: row.note.replaceAll('"', '') })))
        for (const { _id, Email } of await contactsOf(member)) model.name(_id, String(Email))
      },
      async edit() {
        const person = one([...model.people])
        const from = person.values.city
        if (from === 'Paris') return
        const changes = { City: { from, to: 'Paris' } }
        expect(await member.put(`${offers}/${person.id}`, { changes })).toMatchObject({ status: 200 })
        log.push(`edit ${person.id}`)
        model.edit(person, { city: 'Paris' })
      },
      async event() {
        const [person, id] = [one([...model.people]), randomUUID()]
        expect(await recordEvents(db, member.account, [newEvent(person.id, { id })])).toBe(1)
        log.push(`event ${id} of ${person.id}`)
        model.record(id, person)
      },
      async merge() {
        const [kept, other] = [one([...model.people]), one([...model.people])]
        if (kept === other) return
        const differing = fields.filter((field) => kept.values[field] !== other.values[field])
        const taken = differing.filter(() => chance(0.4))
        const body = {
          other: other.id,
          fields: Object.fromEntries(
            differing.map((field) => {
              const wins = taken.includes(field) ? 'other' : 'kept'
              return [fieldNames[field], { kept: kept.values[field], other: other.values[field], wins }]
            }),
          ),
        }
        const answer = await member.post(`${offers}/${kept.id}/merge`, body)
        log.push(`merge ${other.id} into ${kept.id}, taking ${taken.join()}: ${answer.status}`)
        const merge = model.merge(kept, other, taken)
        expect(answer.status).toBe(merge ? 200 : 409)
        if (merge) merges.push(Object.assign(merge, { id: answer.json<{ delete: string }>().delete }))
      },
      async unmerge() {
        const merge = merges[below(merges.length)]
        if (!merge) return
        const answer = await askRestore(member, merge.id)
        const isAllowed = model.mayUndo(merge)
        log.push(`undo merge ${merge.id}: ${answer.status}`)
        expect(answer.status).toBe(isAllowed ? 202 : 409)
        if (!isAllowed) return
        await runRestoreOf(portal, member, merge.id)
        const returned = model.undoMerge(merge) ? 1 : 0
        expect(await readDelete(member, merge.id)).toMatchObject({
          restorableRecords: 1 - returned,
          restore: { status: 'completed', restoredRecords: returned, missingRecords: 1 - returned },
        })
        if (returned) merges.splice(merges.indexOf(merge), 1)
      },
      async delete() {
        if (running) return
        const city = one(['Bern', 'Rome', 'Oslo', 'Paris'])
        const found: Person[] = [...model.people].filter(({ values }) => values.city === city)
        if (found.length === 0) return
        const { _id } = await deleteBy(member, [{ $match: { City: city } }], found.length)
        log.push(`delete ${_id}: ${city}`)
        deleted.push({ id: _id, people: model.delete(found) })
      },
      async restore() {
        const one = deleted[below(deleted.length)]
        if (!one) return
        expect(await askRestore(member, one.id)).toMatchObject({ status: 202 })
        await runRestoreOf(portal, member, one.id)
        log.push(`restore ${one.id}`)
        one.people = model.restore(one.people)
        const { restorableRecords, restore } = await readDelete(member, one.id)
        const left = one.people.length
        expect([restore?.status, restorableRecords, restore?.missingRecords]).toEqual(['completed', left, left])
        if (left === 0) deleted.splice(deleted.indexOf(one), 1)
      },
      async erase() {
        const merge = chance(0.3) ? merges[below(merges.length)] : undefined
        const one = merge ?? deleted[below(deleted.length)]
        if (!one || merge?.isErased) return
        const deletedRecords = 'people' in one ? one.people.length : 1
        const answer = await member.delete(`/contact-service/v1/deletes/${one.id}/contents`, { deletedRecords })
        expect(answer).toMatchObject({ status: 200 })
        log.push(`erase ${one.id}`)
        if (merge) return model.eraseMerge(merge)
        const [{ people } = { people: [] }] = deleted.splice(
          deleted.findIndex(({ id }) => id === one.id),
          1,
        )
        model.erase(people.map(({ person }) => person))
      },
      async begin() {
        if (running) return
        const left = [...model.people].filter(() => chance(0.5)).toSorted((a, b) => Number(BigInt(a.id) - BigInt(b.id)))
        // As requests do; the contacts follow before each step, so that a step has few of them.
        const [{ id } = { id: '' }] = await rowsOf(
          `INSERT INTO ${schema}.deletes
             (filter, deleted_records, creator, created_at, status, contents, binding_imports)
           SELECT '[]', ${left.length}, 'ann', now(), 'processing', 'kept', array_agg(id) FROM ${schema}.imports
           RETURNING id::text`,
        )
        log.push(`begin delete ${id}: ${left.map((person) => person.id).join()}`)
        running = { id: id ?? '', left, people: [] }
      },
      async step() {
        if (!running) return acts['begin']?.()
        const { id, left, people } = running
        const some = left.splice(0, 1 + below(2))
        log.push(`step of ${id}: ${some.map((person) => person.id).join()}`)
        if (some.length === 0) {
          await runDelete(portal.parts, member.account, id, new AbortController().signal)
          expect(await readDelete(member, id)).toMatchObject({ status: 'completed', restorableRecords: people.length })
          if (people.length > 0) deleted.push({ id, people })
          running = null
          return
        }
        const ids = some.map((person) => `(${id}, ${person.id})`)
        await pool.query(`INSERT INTO ${schema}.delete_targets (delete_id, contact_id) VALUES ${ids.join()}`)
        await expect(runDelete(portal.parts, member.account, id, afterOneStep())).rejects.toThrow(JobInterrupted)
        people.push(...model.delete(some.filter((person) => model.people.has(person))))
      },
    }
    const requireEvents = async (): Promise<void> => {
      const byId = (some: object[]) => some.map((each) => JSON.stringify(each)).toSorted()
      const found = await rowsOf(`SELECT id::text, contact_id::text AS contact FROM ${schema}.events`)
      expect(byId(found)).toEqual(byId(model.events()))
      const kept = await rowsOf(
        `SELECT d.data ->> 'id' AS event, d.contact_id::text AS contact FROM ${schema}.deleted_rows AS d
         JOIN ${schema}.deletes AS m ON m.id = d.delete_id WHERE d.source = 'events'`,
      )
      for (const { event = '', contact } of kept) {
        const holders = model.holdersOf(event).filter((person) => !model.people.has(person))
        expect(holders.map(({ id }) => id)).toContain(contact)
      }
    }
    const requireOwnRows = async (): Promise<void> => {
      const found = await rowsOf(
        `SELECT c.id::text, k.dedup_hash IS NOT NULL AS "hasKey",
           (SELECT count(*)::int FROM ${schema}.contact_changes AS e WHERE e.contact_id = c.id AND e.kind = 'edited') AS edits
         FROM ${schema}.contacts AS c LEFT JOIN ${schema}.contact_keys AS k ON k.id = c.id`,
      )
      const expected = [...model.people].map(({ id, edits }) => ({ id, hasKey: true, edits }))
      const byId = (some: object[]) => some.map((each) => JSON.stringify(each)).toSorted()
      expect(byId(found)).toEqual(byId(expected))
    }
    await acts['import']?.()
    const often = ['event', 'step', 'restore', 'merge', 'unmerge']
    const kinds = ['import', 'edit', 'delete', 'delete', 'erase', 'merge', ...often, ...often]
    for (let round = 0; round < rounds(60, 400); round++) {
      await acts[one(kinds)]?.()
      if (model.people.size === 0) await acts['import']?.()
      const found = (await contactsOf(member)).map(({ _id, Email, City, Note }) => [_id, Email, City, Note])
      const expected = [...model.people].map(({ id, values: { email, city, note } }) => [id, email, city, note])
      const byId = (some: unknown[][]) => some.toSorted((a, b) => String(a[0]).localeCompare(String(b[0])))
      expect(byId(found)).toEqual(byId(expected))
      await requireEvents()
      await requireOwnRows()
    }
  },
)
