import type { FieldEntry } from '@portico/contract/fields'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { removeDeletedFields } from '#fields'
import { importAtOnce, readImport, runImportOf, runUndoOf } from '#test/resources/import-undos.ts'
import { contactsOf, submit, withPurl } from '#test/resources/imports.ts'
import { editField } from '#test/resources/merges.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Fields and contacts that people change before or during the undo of an import.

let portal: TestPortal
let owner: Member
/** Holds locks, as another process would. */
let writer: pg.Client

beforeAll(async () => {
  // No worker in this process: the tests run the jobs themselves.
  portal = await startPortal()
  writer = new pg.Client({ connectionString: portal.parts.database.url })
  await writer.connect()
})
afterAll(async () => {
  await writer.end()
  await portal.close()
})
beforeEach(async () => {
  owner = await portal.member(await portal.account())
})

const imports = '/contact-service/v1/imports'
const offers = '/contact-service/v1/offers'
const fields = '/contact-service/v1/fields'
const load = (content: string, changes = {}) => importAtOnce(portal, owner, content, { ...withPurl, ...changes })

/** Undoes an import. Returns the figures. */
async function undone(id: string): Promise<unknown> {
  expect(await owner.post(`${imports}/${id}/undo`)).toMatchObject({ status: 202 })
  await runUndoOf(portal, owner, id)
  expect((await readImport(owner, id)).undo).toMatchObject({ status: 'completed', reason: null })
  return (await owner.get(`${imports}/${id}/undo`)).body
}

async function findField(name: string): Promise<FieldEntry> {
  const field = (await owner.get(`${fields}/details`)).json<FieldEntry[]>().find((each) => each.name === name)
  if (!field) throw new Error(`There is no field ${name}.`)
  return field
}

describe('a contact that was kept when its own import was undone', () => {
  const people = 'First,Last,Email\nAda,King,a@x\n'
  const names = async () => (await contactsOf(owner)).map(({ First }) => First)

  test('is deleted with the last import that changed it', async () => {
    const { _id: first } = await load(people)
    const { _id: second } = await load('First,Last,Email\nEve,King,a@x\n')
    const { _id: third } = await load('First,Last,Email\nEda,King,a@x\nBob,Ray,b@x\n')
    expect(await undone(first)).toMatchObject({ removedContacts: 0, keptContacts: 1 })
    expect(await undone(second)).toMatchObject({ removedContacts: 0, keptValues: 1 })
    const forecast = (await owner.get(`${imports}/${third}/undo`)).body
    expect(forecast).toMatchObject({ removedContacts: 1, removedOthers: 1, returnedContacts: 0, keptValues: 0 })
    expect(await undone(third)).toMatchObject({
      removedContacts: 1,
      removedOthers: 1,
      returnedContacts: 0,
      keptValues: 0,
    })
    expect(await names()).toEqual([])
    // Nothing binds the next import any more.
    const other = await importAtOnce(portal, owner, 'Email\nc@x\n', { dedupColumns: ['Email'] })
    expect(other.status).toBe('completed')
  })

  test('stays if people have changed it', async () => {
    const { _id: first } = await load(people)
    const { _id: second } = await load('First,Last,Email\nEve,King,a@x\n')
    await undone(first)
    const [eve] = await contactsOf(owner)
    await editField(owner, eve?._id ?? '', 'Last', 'King', 'Queen')
    expect(await undone(second)).toMatchObject({ removedOthers: 0, returnedContacts: 1 })
    expect(await names()).toEqual(['Ada'])
  })
})

describe('a field changed by an import', () => {
  let second: string
  beforeEach(async () => {
    await load('First,Last,Email,City\nAda,King,a@x,Bern\n')
    second = (await load('First,Last,Email,City\nAda,King,a@x,Rome\n'))._id
  })

  test('gets its values back under its new name', async () => {
    const { _id, version } = await findField('City')
    expect(await owner.put(`${fields}/${_id}`, { name: 'Town', version })).toMatchObject({ status: 200 })
    expect(await undone(second)).toMatchObject({ returnedContacts: 1, keptValues: 0 })
    expect(await contactsOf(owner)).toMatchObject([{ Town: 'Bern' }])
  })

  test('gets its values back while deleted, and has them when restored', async () => {
    const { _id } = await findField('City')
    expect(await owner.delete(`${fields}/${_id}`, { uses: 0 })).toMatchObject({ status: 200 })
    expect(await undone(second)).toMatchObject({ returnedContacts: 1, keptValues: 0 })
    expect(await owner.post(`${fields}/${_id}/restore`)).toMatchObject({ status: 200 })
    expect(await contactsOf(owner)).toMatchObject([{ City: 'Bern' }])
  })

  test('is skipped after its removal, even if another field has its name', async () => {
    const { _id } = await findField('City')
    await owner.delete(`${fields}/${_id}`, { uses: 0 })
    await removeDeletedFields(portal.parts.database.db, owner.account, new Date(Date.now() + 31 * 86_400_000))
    await load('First,Last,Email,City\nEve,Moor,e@x,Oslo\n')
    expect(await undone(second)).toMatchObject({ returnedContacts: 0, keptValues: 0 })
    expect((await contactsOf(owner)).map(({ First, City }) => [First, City])).toEqual([
      ['Ada', undefined],
      ['Eve', 'Oslo'],
    ])
  })
})

test('the rules of an undone import stay binding while contacts entered in a form have keys by them', async () => {
  const { _id } = await load('First,Last,Email\nAda,King,a@x\n')
  expect(await owner.post(offers, { values: { First: 'Eve', Email: 'e@x' } })).toMatchObject({ status: 201 })
  expect(await undone(_id)).toMatchObject({ removedContacts: 1, keptContacts: 0, removedFields: [] })
  expect(await readImport(owner, _id)).toMatchObject({ binds: true })
  const others = { ...withPurl, dedupColumns: ['First'] }
  await expect(submit(portal, owner, 'First,Last,Email\nEve,Moor,e@x\n', others)).rejects.toThrow('import refused')
  expect(await load('First,Last,Email\nEve,Moor,E@X\n')).toMatchObject({ createdRecords: 0, updatedRecords: 1 })
})

test('an undo restores a contact of more than 300 fields to values edited while the import started', async () => {
  const names = Array.from({ length: 310 }, (_, at) => `F${at}`)
  const file = (value: string) => `Email,${names.join(',')}\na@x,${names.map(() => value).join(',')}\n`
  const settings = { generatePURL: false, purlColumns: [], dedupHashMatching: false }
  await load(file('one'), settings)
  const [ada] = await contactsOf(owner)
  const schema = `account_${owner.account}`
  const { _id } = await submit(portal, owner, file('two'), { ...withPurl, ...settings })
  await writer.query('BEGIN')
  await writer.query(`UPDATE ${schema}.contacts SET updated_at = now() WHERE id = $1`, [ada?._id])
  await writer.query(`UPDATE ${schema}.contacts_2 SET c305 = 'edited' WHERE id = $1`, [ada?._id])
  const running = runImportOf(portal, owner, _id)
  const waiting = 'SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))'
  await expect.poll(async () => (await writer.query(waiting)).rowCount, { timeout: 20_000 }).toBeGreaterThan(0)
  await writer.query('COMMIT')
  await running
  expect(await contactsOf(owner)).toMatchObject([{ F303: 'two' }])
  expect(await undone(_id)).toMatchObject({ returnedContacts: 1, keptValues: 0 })
  expect(await contactsOf(owner)).toMatchObject([{ F302: 'one', F303: 'edited' }])
})
