import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest'
import { askRestore, deleteBy, readDelete, runRestoreOf } from '#test/resources/delete-undos.ts'
import { importAtOnce } from '#test/resources/import-undos.ts'
import { contactsOf } from '#test/resources/imports.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'
import { drawsOf } from '#test/oracles/random-filters.ts'
import { rounds } from '#test/processes/rounds.ts'

// Imports, edits, deletes and undone deletes in random order, compared with a naive model of the contacts.

let portal: TestPortal
beforeAll(async () => {
  // No worker in this process: the test runs the jobs.
  portal = await startPortal()
})
afterAll(() => portal.close())

type Values = { email: string; city: string; note: string }
type Contacts = Map<string, Values>

test(
  'random imports, edits, deletes and undone deletes leave the expected contacts',
  { timeout: 600_000 },
  async () => {
    const seed = Math.floor(Math.random() * 1e9)
    const { below, chance, one } = drawsOf(seed)
    const member = await portal.member(await portal.account())
    const log: string[] = []
    onTestFailed(() => void process.stderr.write(`seed ${seed}\n${log.join('\n')}\n`))
    const present: Contacts = new Map()
    const deleted: { id: string; contacts: Contacts }[] = []

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
        for (const row of rows) present.set(row.email.toLowerCase(), { ...row, note: row.note.replaceAll('"', '') })
      },
      async edit() {
        const contact = one(await contactsOf(member))
        const from = String(contact['City'])
        if (from === 'Paris') return
        const changes = { City: { from, to: 'Paris' } }
        expect(await member.put(`/contact-service/v1/offers/${contact._id}`, { changes })).toMatchObject({
          status: 200,
        })
        log.push(`edit ${String(contact['Email'])}`)
        const known = present.get(String(contact['Email']).toLowerCase())
        if (known) known.city = 'Paris'
      },
      async delete() {
        const city = one(['Bern', 'Rome', 'Oslo', 'Paris'])
        const found = [...present].filter(([, values]) => values.city === city)
        if (found.length === 0) return
        const { _id } = await deleteBy(member, [{ $match: { City: city } }], found.length)
        log.push(`delete ${_id}: ${city}`)
        for (const [key] of found) present.delete(key)
        deleted.push({ id: _id, contacts: new Map(found) })
      },
      async restore() {
        if (deleted.length === 0) return
        const at = below(deleted.length)
        const { id, contacts } = deleted[at] ?? { id: '', contacts: new Map() as Contacts }
        expect(await askRestore(member, id)).toMatchObject({ status: 202 })
        await runRestoreOf(portal, member, id)
        log.push(`restore ${id}`)
        for (const [key, values] of contacts) {
          if (present.has(key)) continue
          present.set(key, values)
          contacts.delete(key)
        }
        const { restorableRecords, restore } = await readDelete(member, id)
        expect([restore?.status, restorableRecords, restore?.missingRecords]).toEqual([
          'completed',
          contacts.size,
          contacts.size,
        ])
        if (contacts.size === 0) deleted.splice(at, 1)
      },
    }
    await acts['import']?.()
    for (let round = 0; round < rounds(40, 300); round++) {
      await acts[one(['import', 'edit', 'delete', 'delete', 'restore', 'restore'])]?.()
      if (present.size === 0) await acts['import']?.()
      const found = (await contactsOf(member)).map(({ Email, City, Note }) => [Email, City, Note])
      const expected = [...present.values()].map(({ email, city, note }) => [email, city, note])
      const byEmail = (some: unknown[][]) => some.toSorted((a, b) => String(a[0]).localeCompare(String(b[0])))
      expect(byEmail(found)).toEqual(byEmail(expected))
    }
  },
)
