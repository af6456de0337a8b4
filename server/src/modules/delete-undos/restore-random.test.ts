import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest'
import { askRestore, deleteBy, readDelete, runRestoreOf } from '#test/resources/delete-undos.ts'
import { importAtOnce } from '#test/resources/import-undos.ts'
import { contactsOf } from '#test/resources/imports.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'
import { drawsOf } from '#test/oracles/random-filters.ts'
import { type MergeModel, PeopleModel, type Person, type Values } from '#test/oracles/people-model.ts'
import { rounds } from '#test/processes/rounds.ts'

// Imports, edits, merges, deletes and undone deletes and merges in random order, compared with a naive model of the contacts.

let portal: TestPortal
beforeAll(async () => {
  // No worker in this process: the test runs the jobs.
  portal = await startPortal()
})
afterAll(() => portal.close())

const offers = '/contact-service/v1/offers'
const fieldNames = { email: 'Email', city: 'City', note: 'Note' } as const
const fields = ['email', 'city', 'note'] as const

test(
  'random imports, edits, merges, deletes and undone ones leave the expected contacts',
  { timeout: 600_000 },
  async () => {
    const seed = Math.floor(Math.random() * 1e9)
    const { below, chance, one } = drawsOf(seed)
    const member = await portal.member(await portal.account())
    const log: string[] = []
    onTestFailed(() => void process.stderr.write(`seed ${seed}\n${log.join('\n')}\n`))
    const model = new PeopleModel()
    const deleted: { id: string; people: ReturnType<PeopleModel['delete']> }[] = []
    const merges: MergeModel[] = []

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
        for (const row of rows) model.import({ ...row, note: row.note.replaceAll('"', '') })
        for (const { _id, Email } of await contactsOf(member)) model.name(_id, String(Email))
      },
      async edit() {
        const person = one([...model.people])
        const from = person.values.city
        if (from === 'Paris') return
        const changes = { City: { from, to: 'Paris' } }
        expect(await member.put(`${offers}/${person.id}`, { changes })).toMatchObject({ status: 200 })
        log.push(`edit ${person.id}`)
        person.values.city = 'Paris'
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
    }
    await acts['import']?.()
    const kinds = ['import', 'edit', 'delete', 'delete', 'restore', 'restore', 'merge', 'merge', 'unmerge']
    for (let round = 0; round < rounds(60, 400); round++) {
      await acts[one(kinds)]?.()
      if (model.people.size === 0) await acts['import']?.()
      const found = (await contactsOf(member)).map(({ _id, Email, City, Note }) => [_id, Email, City, Note])
      const expected = [...model.people].map(({ id, values: { email, city, note } }) => [id, email, city, note])
      const byId = (some: unknown[][]) => some.toSorted((a, b) => String(a[0]).localeCompare(String(b[0])))
      expect(byId(found)).toEqual(byId(expected))
    }
  },
)
