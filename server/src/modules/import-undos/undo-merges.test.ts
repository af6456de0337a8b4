import { afterAll, beforeAll, expect, test } from 'vitest'
import { askRestore, missingOf, runRestoreOf } from '#test/resources/delete-undos.ts'
import { importAtOnce, readImport, runUndoOf } from '#test/resources/import-undos.ts'
import { contactsOf } from '#test/resources/imports.ts'
import { type BothValues, editField, merged } from '#test/resources/merges.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Merges and imports that change the same values, undone in the order in which they were made.

let portal: TestPortal
let owner: Member
beforeAll(async () => {
  // No worker in this process: the test runs the jobs.
  portal = await startPortal()
  owner = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const imports = '/contact-service/v1/imports'
const settings = {
  typeCasting: true,
  onMismatch: 'text' as const,
  dedupColumns: ['Email'],
  latitudeColumn: 'Lat',
  longitudeColumn: 'Lng',
}
const header = 'Email,City,Score,Since,Lat,Lng,Phone'
const load = async (...rows: string[]): Promise<string> => {
  const { _id, status } = await importAtOnce(portal, owner, `${header}\n${rows.join('\n')}\n`, settings)
  expect(status).toBe('completed')
  return _id
}

async function takeBack(importId: string): Promise<void> {
  expect(await owner.post(`${imports}/${importId}/undo`)).toMatchObject({ status: 202 })
  await runUndoOf(portal, owner, importId)
  expect((await readImport(owner, importId)).undo).toMatchObject({ status: 'completed' })
}

async function takeBackMerge(deleteId: string): Promise<string[]> {
  expect(await askRestore(owner, deleteId)).toMatchObject({ status: 202, body: { restore: { status: 'waiting' } } })
  await runRestoreOf(portal, owner, deleteId)
  return (await missingOf(owner, deleteId)).flatMap(({ fields }) => fields)
}

/** By id: the values of each contact, and the coordinates by which searches find it. */
async function stored(): Promise<Map<string, unknown[]>> {
  const { rows } = await portal.parts.database.pool.query<{ id: string; at: number[] }>(
    `SELECT id, ARRAY[latitude, longitude] AS at FROM account_${owner.account}.contact_keys`,
  )
  const places = new Map(rows.map(({ id, at }) => [id, at]))
  const values = (contact: Record<string, unknown>) => header.split(',').map((name) => contact[name] ?? null)
  return new Map(
    (await contactsOf(owner)).map((contact) => [contact._id, [...values(contact), places.get(contact._id)]]),
  )
}

/** All fields of the files, as the merge takes them. */
const all = (kept: readonly unknown[], other: readonly unknown[]): BothValues =>
  Object.fromEntries(
    header.split(',').map((name, at) => [name, [kept[at] as string | null, other[at] as string | null, 'other']]),
  )

test('an import returns no value of a merge that was undone before it, whatever else wrote the value', async () => {
  const old = await load('a@x,Rome,1,2024-01-01,1,11,', 'c@x,Lyon,1,2024-01-01,1,11,', 'e@x,Lyon,1,2024-01-01,1,11,')
  const before = await load(
    'a@x,Bern,2,2024-01-02,2,12,',
    'b@x,Rome,3,2024-01-03,3,13,555',
    'c@x,Bern,2,2024-01-02,2,12,',
    'd@x,Rome,3,2024-01-03,3,13,555',
    'e@x,Bern,2,2024-01-02,2,12,',
    'f@x,Rome,3,2024-01-03,3,13,555',
  )
  const first = await stored()
  const idOf = (email: string): string => [...first].find(([, [own]]) => own === email)?.[0] ?? ''
  const merge = async (kept: string, other: string) => {
    const [own, of] = [idOf(kept), idOf(other)]
    return (await merged(owner, own, of, all(first.get(own) ?? [], first.get(of) ?? []))).delete
  }
  const merges = [await merge('a@x', 'b@x'), await merge('c@x', 'd@x'), await merge('e@x', 'f@x')]
  // A person changes the value in between.
  expect(await editField(owner, idOf('c@x'), 'City', 'Rome', 'Lima')).toMatchObject({ status: 200 })
  const later = await load('e@x,Nice,4,2024-01-04,4,14,556')
  // By the former keys; it makes the scores texts, and the days moments.
  const last = await load(
    'a@x,Oslo,high,2024-01-05T10:00:00Z,5,15,557',
    'c@x,Oslo,6,2024-01-06,6,16,557',
    'e@x,Oslo,6,2024-01-06,6,16,557',
  )
  // The score is that of a field of another type by now.
  expect(await takeBackMerge(merges[0] ?? '')).toEqual(header.split(','))
  await takeBackMerge(merges[1] ?? '')
  await takeBack(later)
  await takeBackMerge(merges[2] ?? '')
  await takeBack(last)
  const widened = (values: readonly unknown[] = []) =>
    values.map((value, at) => (at === 2 ? String(value) : at === 3 ? `${String(value)}T00:00:00.000Z` : value))
  const expected = new Map([...first].map(([id, values]) => [id, widened(values)]))
  expected.get(idOf('c@x'))?.splice(1, 1, 'Lima')
  expect(await stored()).toEqual(expected)
  // Each is found by its own key, and the records of imports before the merge are as they were.
  await takeBack(before)
  expect([...(await stored()).values()].map(([email, city]) => [email, city])).toEqual([
    ['a@x', 'Rome'],
    ['c@x', 'Lima'],
    ['e@x', 'Lyon'],
  ])
  await load('a@x,Basel,1,2024-01-01,1,11,')
  await takeBack(old)
  expect((await stored()).get(idOf('a@x'))?.slice(0, 2)).toEqual(['a@x', 'Basel'])
})
