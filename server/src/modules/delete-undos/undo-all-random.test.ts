import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest'
import { askRestore, deleteBy, readDelete, runRestoreOf } from '#test/resources/delete-undos.ts'
import { importAtOnce, readImport, runUndoOf } from '#test/resources/import-undos.ts'
import { contactsOf } from '#test/resources/imports.ts'
import { askMerge, type BothValues } from '#test/resources/merges.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { drawsOf } from '#test/oracles/random-filters.ts'
import { rounds } from '#test/processes/rounds.ts'

// Imports, merges, edits and deletes of the same contacts, undone in random order until all are: the contacts are as before.

let portal: TestPortal
let member: Member
beforeAll(async () => {
  // No worker in this process: the test runs the jobs.
  portal = await startPortal()
  member = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const service = '/contact-service/v1'
const settings = { typeCasting: true, dedupColumns: ['Email'], latitudeColumn: 'Lat', longitudeColumn: 'Lng' }
const fields = ['City', 'Score', 'Note', 'Lat', 'Lng'] as const
type Field = (typeof fields)[number]
type Contact = Awaited<ReturnType<typeof contactsOf>>[number]

const valueOf = (contact: Contact, field: string) => (contact[field] ?? null) as string | number | null

/** Undoes one change. Returns whether that was possible. */
type Undo = () => Promise<boolean>

async function undoImport(id: string): Promise<boolean> {
  const figures = async () => (await member.get(`${service}/imports/${id}/undo`)).body
  const forecast = await figures()
  expect(await member.post(`${service}/imports/${id}/undo`)).toMatchObject({ status: 202 })
  await runUndoOf(portal, member, id)
  expect((await readImport(member, id)).undo).toMatchObject({ status: 'completed' })
  expect(await figures()).toEqual(forecast)
  return true
}

async function undoDelete(id: string): Promise<boolean> {
  // A merge is undone after those of the contact into others.
  if ((await askRestore(member, id)).status !== 202) return false
  await runRestoreOf(portal, member, id)
  const { restore } = await readDelete(member, id)
  return restore?.status === 'completed' && restore.missingRecords === 0
}

const undoEdit = async (contact: string, change: string): Promise<boolean> =>
  (await member.post(`${service}/offers/${contact}/changes/${change}/undo`)).status === 200

/** The contacts of a round and where searches find them. */
async function stored(round: number): Promise<unknown[]> {
  const { rows } = await portal.parts.database.pool.query<{ id: string; at: number[] }>(
    `SELECT id::text, ARRAY[latitude, longitude] AS at FROM account_${member.account}.contact_keys`,
  )
  const places = new Map(rows.map(({ id, at }) => [id, at]))
  return (await contactsOf(member))
    .filter(({ Email }) => String(Email).startsWith(`${round}.`))
    .map((contact) => [
      contact._id,
      contact['Email'],
      ...fields.map((field) => valueOf(contact, field)),
      places.get(contact._id),
    ])
    .toSorted((one, other) => String(one[0]).localeCompare(String(other[0])))
}

test(
  'random imports, merges, edits and deletes that are all undone, in random order, leave the contacts as before',
  { timeout: 3_000_000 },
  async () => {
    const seed = Math.floor(Math.random() * 1e9)
    const { below, chance, one } = drawsOf(seed)
    let log: string[] = []
    onTestFailed(() => void process.stderr.write(`seed ${seed}\n${log.join('\n')}\n`))
    for (let round = 0; round < rounds(8, 300); round++) {
      log = [`round ${round}`]
      // A list has up to 1,000 contacts.
      if (round % 100 === 99) member = await portal.member(await portal.account())
      let edits = 0
      // Edits write values of their own, so that none is undone by the value of another change.
      const draw: Record<Field, () => string | number> = {
        City: () => one(['Bern', 'Rome', 'Oslo']),
        Score: () => below(3),
        Note: () => one(['x', 'y'.repeat(40), 'z'.repeat(50)]),
        Lat: () => below(3),
        Lng: () => below(3),
      }
      const load = async (emails: readonly string[], columns: readonly Field[], isFull: boolean): Promise<string> => {
        const lines = emails.map((email) =>
          [email, ...columns.map((field) => (isFull || chance(0.8) ? draw[field]() : ''))].join(),
        )
        const text = `Email,${columns.join()}\n${lines.join('\n')}\n`
        const { _id, status } = await importAtOnce(portal, member, text, settings)
        expect(status).toBe('completed')
        log.push(`import ${_id}: ${lines.join(' ')}`)
        return _id
      }
      await load(
        Array.from({ length: 5 }, (_, at) => `${round}.${at}@x`),
        fields,
        false,
      )
      const before = await stored(round)
      const current = async () =>
        (await contactsOf(member)).filter(({ Email }) => String(Email).startsWith(`${round}.`))
      /** Contacts that were merged into others, and stay no more: values do not come back to them by a merge. */
      const others = new Set<string>()
      /** Contacts with the key of another one. */
      const movedKeys = new Set<string>()
      let pending: { name: string; undo: Undo }[] = []
      const acts = {
        async import(contacts: Contact[]) {
          const columns = fields.filter(() => chance(0.6))
          const some = contacts.filter(() => chance(0.5))
          if (some.length === 0) return
          const id = await load(
            some.map(({ Email }) => String(Email)),
            [...columns, 'Lat', 'Lng'].filter((each, at, all) => all.indexOf(each) === at) as Field[],
            false,
          )
          pending.push({ name: `import ${id}`, undo: () => undoImport(id) })
        },
        async merge(contacts: Contact[]) {
          const [kept, other] = [one(contacts), one(contacts)]
          if (kept._id === other._id || others.has(kept._id) || others.has(other._id)) return
          const differing = ['Email', ...fields].filter((field) => valueOf(kept, field) !== valueOf(other, field))
          const values = differing.map((field) => {
            const wins = chance(field === 'Email' ? 0.2 : 0.7) ? 'other' : 'kept'
            return [field, [valueOf(kept, field), valueOf(other, field), wins]] as const
          })
          const both: BothValues = Object.fromEntries(values.map(([name, [own, of, wins]]) => [name, [own, of, wins]]))
          const answer = await askMerge(member, kept._id, other._id, both)
          log.push(`merge ${other._id} into ${kept._id}, ${JSON.stringify(both)}: ${answer.status}`)
          if (answer.status !== 200) return
          others.add(other._id)
          if (both['Email']?.[2] === 'other') movedKeys.add(kept._id)
          const { delete: id } = answer.json<{ delete: string }>()
          pending.push({ name: `merge ${id}`, undo: () => undoDelete(id) })
        },
        async edit(contacts: Contact[]) {
          const contact = one(contacts)
          const changed = fields.filter(() => chance(0.4))
          if (changed.length === 0) return
          const values = changed.map((field) => {
            const own = 100 + edits++
            const to = field === 'City' || field === 'Note' ? `edit ${own}` : field === 'Score' ? own : own / 10
            return [field, { from: valueOf(contact, field), to }] as const
          })
          const answer = await member.put(`${service}/offers/${contact._id}`, { changes: Object.fromEntries(values) })
          expect(answer).toMatchObject({ status: 200 })
          const { change } = answer.json<{ change: { _id: string } }>()
          log.push(`edit ${change._id} of ${contact._id}: ${JSON.stringify(values)}`)
          pending.push({ name: `edit ${change._id}`, undo: () => undoEdit(contact._id, change._id) })
        },
        async delete(contacts: Contact[]) {
          if (contacts.length < 2) return
          const { _id: contact, Email } = one(contacts)
          // Once its merge is undone, another contact has its key.
          if (movedKeys.has(contact)) return
          const { _id } = await deleteBy(member, [{ $match: { Email } }], 1)
          log.push(`delete ${_id}: ${String(Email)}`)
          pending.push({ name: `delete ${_id}`, undo: () => undoDelete(_id) })
        },
      }
      const undoOne = async (at: number): Promise<void> => {
        const [each] = pending.splice(at, 1)
        if (!each) return
        const isDone = await each.undo()
        log.push(`undo ${each.name}: ${isDone}`)
        if (!isDone) pending.push(each)
      }
      for (let step = 3 + below(6); step > 0; step--) {
        const act = one(['import', 'import', 'merge', 'merge', 'edit', 'edit', 'delete', 'undo'] as const)
        if (act === 'undo') await undoOne(below(pending.length))
        else await acts[act](await current())
      }
      for (let tries = 8 * pending.length; pending.length > 0 && tries > 0; tries--)
        await undoOne(below(pending.length))
      // In the reverse order in which they failed, those that wait for each other.
      for (let tries = 0; pending.length > 0 && tries < 100; tries++) await undoOne(0)
      expect(pending.map(({ name }) => name)).toEqual([])
      expect(await stored(round)).toEqual(before)
    }
  },
)
