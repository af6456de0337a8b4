import { afterAll, beforeAll, expect, test } from 'vitest'
import { askRestore, deleteBy, missingOf, readDelete, runRestoreOf } from '#test/resources/delete-undos.ts'
import { importAtOnce, readImport, runUndoOf } from '#test/resources/import-undos.ts'
import { contactsOf } from '#test/resources/imports.ts'
import { changesOfContact, merged } from '#test/resources/merges.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Changes of different kinds of the same value, undone in the order in which they were made: the value of before returns with the
// last undo.

let portal: TestPortal
let owner: Member
beforeAll(async () => {
  // No worker in this process: the test runs the jobs.
  portal = await startPortal()
})
afterAll(() => portal.close())

const service = '/contact-service/v1'
/** Records of imports have a digest of it. */
const long = 'Lima'.repeat(20)
const settings = { typeCasting: true, onMismatch: 'text' as const, dedupColumns: ['Email'] }

/** Imports rows of Email, City, Score and Since. */
async function load(...rows: string[]): Promise<string> {
  const { _id, status } = await importAtOnce(portal, owner, `Email,City,Score,Since\n${rows.join('\n')}\n`, settings)
  expect(status).toBe('completed')
  return _id
}

async function takeBackImport(id: string): Promise<void> {
  const forecast = (await owner.get(`${service}/imports/${id}/undo`)).body
  expect(await owner.post(`${service}/imports/${id}/undo`)).toMatchObject({ status: 202 })
  await runUndoOf(portal, owner, id)
  expect((await readImport(owner, id)).undo).toMatchObject({ status: 'completed' })
  expect((await owner.get(`${service}/imports/${id}/undo`)).body).toEqual(forecast)
}

async function takeBackDelete(id: string): Promise<string[]> {
  expect(await askRestore(owner, id)).toMatchObject({ status: 202 })
  await runRestoreOf(portal, owner, id)
  expect(await readDelete(owner, id)).toMatchObject({ restore: { status: 'completed', missingRecords: 0 } })
  return (await missingOf(owner, id)).flatMap(({ fields }) => fields)
}

/** Undoes the last edit of a contact that stands. */
async function takeBackEdit(id: string): Promise<void> {
  const last = (await changesOfContact(owner, id)).find(({ kind, isUndone }) => kind === 'edited' && !isUndone)
  expect(await owner.post(`${service}/offers/${id}/changes/${last?._id}/undo`)).toMatchObject({ status: 200 })
}

type Row = [email: string, city: unknown, score: unknown, since: unknown]
const rows = async (): Promise<Row[]> =>
  (await contactsOf(owner))
    .map(({ Email, City, Score, Since }): Row => [String(Email), City, Score, Since])
    .toSorted(([one], [other]) => one.localeCompare(other))

const idOf = async (email: string): Promise<string> =>
  (await contactsOf(owner)).find(({ Email }) => Email === email)?._id ?? ''

/** Merges a contact into another, which takes its values that differ. */
async function merge(kept: string, other: string): Promise<string> {
  const all = await contactsOf(owner)
  const [own, of] = [kept, other].map((email) => all.find(({ Email }) => Email === email))
  const fields = ['Email', 'City', 'Score', 'Since'].filter((name) => own?.[name] !== of?.[name])
  const values = fields.map((name) => {
    const both = [own?.[name], of?.[name]].map((value) => (value ?? null) as string | number | null)
    return [name, [both[0], both[1], name === 'Email' ? 'kept' : 'other']] as const
  })
  return (await merged(owner, own?._id ?? '', of?._id ?? '', Object.fromEntries(values) as never)).delete
}

test('merges, edits and imports of the same values, undone in the order in which they were made', async () => {
  owner = await portal.member(await portal.account())
  await load(
    'merge.merge@x,Bern,1,2024-01-01',
    'merge.edit@x,Bern,1,2024-01-01',
    'import.merge@x,Bern,1,2024-01-01',
    'import.edit@x,,,',
    'b1@x,Rome,2,2024-02-02',
    'b2@x,Rome,2,2024-02-02',
    'c1@x,Oslo,3,2024-03-03',
    'c3@x,Oslo,3,2024-03-03',
  )
  const before = await rows()
  const first = await load(`import.merge@x,${long},4,2024-04-04`, `import.edit@x,${long},4,2024-04-04`)
  const merges = [
    await merge('merge.merge@x', 'b1@x'),
    await merge('merge.merge@x', 'c1@x'),
    await merge('merge.edit@x', 'b2@x'),
    await merge('import.merge@x', 'c3@x'),
  ]
  const byMerge = await idOf('merge.edit@x')
  const byImport = await idOf('import.edit@x')
  const edit = (id: string, since: string, city: string, score: number) =>
    owner.put(`${service}/offers/${id}`, {
      changes: {
        City: { from: city, to: 'Paris' },
        Score: { from: score, to: 5 },
        Since: { from: since, to: '2024-05-05' },
      },
    })
  expect(await edit(byMerge, '2024-02-02', 'Rome', 2)).toMatchObject({ status: 200 })
  expect(await edit(byImport, '2024-04-04', long, 4)).toMatchObject({ status: 200 })
  await takeBackImport(first)
  const stay = ['City', 'Score', 'Since']
  expect(await takeBackDelete(merges[0] ?? '')).toEqual(stay)
  expect(await takeBackDelete(merges[1] ?? '')).toEqual([])
  expect(await takeBackDelete(merges[2] ?? '')).toEqual(stay)
  expect(await takeBackDelete(merges[3] ?? '')).toEqual([])
  for (const id of [byMerge, byImport]) await takeBackEdit(id)
  expect(await rows()).toEqual(before)
  // The history tells the values as they were.
  expect(await changesOfContact(owner, byImport)).toMatchObject([
    {
      kind: 'undone',
      values: [
        { from: 'Paris', to: null },
        { from: 5, to: null },
        { from: '2024-05-05', to: null },
      ],
    },
    { kind: 'edited', values: [{ from: long, to: 'Paris' }, { from: 4 }, { from: '2024-04-04' }] },
  ])
})

test('values that were changed while a contact was deleted, or its field was hidden, are taken back with the merge and the import', async () => {
  owner = await portal.member(await portal.account())
  await load('a@x,Bern,1,2024-01-01', 'b@x,Rome,2,2024-02-02', 'c@x,Oslo,3,2024-03-03')
  const before = await rows()
  const first = await load('a@x,Lima,7,', 'b@x,Lima,8,', 'c@x,Lima,9,')
  const merged = await merge('a@x', 'b@x')
  const { _id: deleted } = await deleteBy(owner, [{ $match: { Email: 'c@x' } }], 1)
  await takeBackImport(first)
  const details = `${service}/fields`
  const field = (await owner.get(`${details}/details`))
    .json<{ _id: string; name: string }[]>()
    .find(({ name }) => name === 'Score')
  expect(await owner.delete(`${details}/${field?._id}`, { uses: 0 })).toMatchObject({ status: 200 })
  await takeBackDelete(merged)
  await takeBackDelete(deleted)
  expect(await owner.post(`${details}/${field?._id}/restore`)).toMatchObject({ status: 200 })
  const last = await merge('a@x', 'b@x')
  const { _id: kept } = await deleteBy(owner, [{ $match: { Email: 'a@x' } }], 1)
  await takeBackDelete(last)
  await takeBackDelete(kept)
  expect(await rows()).toEqual(before)
})
