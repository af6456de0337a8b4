import type { KeyComputation } from '@portico/contract/dedup-keys'
import type { Import } from '@portico/contract/imports'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { identityOf, memberWith } from '#test/resources/access.ts'
import { computedKeys, dedupKeysPath, readDedupKeys } from '#test/resources/dedup-keys.ts'
import { deleteBy, askRestore } from '#test/resources/delete-undos.ts'
import { runComputationOf, runImportOf } from '#test/resources/import-undos.ts'
import { anImport, contactsOf, importFile, submit, upload } from '#test/resources/imports.ts'
import { editField } from '#test/resources/merges.ts'
import { addSight, setRowRule } from '#test/resources/row-rules.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Contacts of before the first import with dedup columns get keys, by which imports then recognize them.

let portal: TestPortal
let ann: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  ann = await portal.member(await portal.account())
})

const service = '/contact-service/v1'
const byEmail = { dedupColumns: ['Email'] }
const people = 'Email,Name\nada@x,Ada\nbob@x,Bob\n ADA@x ,Ada again\n,Nobody\n'

const read = (by = ann) => readDedupKeys(by)
const computed = (columns: string[]) => computedKeys(ann, columns)

test('contacts of an import without dedup columns get keys, duplicates are listed, and the next import recognizes them', async () => {
  await importFile(portal, ann, people)
  const [ada, , again] = (await contactsOf(ann)).map(({ _id }) => _id)
  expect(await read()).toEqual({ contactsWithoutKey: 4, computation: null })
  expect(await computed(['email'])).toEqual({
    _id: expect.any(String),
    dedupColumns: ['Email'],
    status: 'completed',
    creator: ann.email,
    creationDate: expect.any(String),
    totalRecords: 4,
    processedRecords: 4,
    keyedRecords: 2,
    blankRecords: 1,
    duplicateRecords: 1,
    duplicates: [{ contact: again, other: ada }],
    reason: null,
  })
  expect(await read()).toMatchObject({ contactsWithoutKey: 0 })
  // These are the columns of all imports from now on.
  await upload(portal, ann, 'contacts.csv', people)
  const fixed = [{ field: 'dedupColumns', message: 'Cannot be changed anymore: Email' }]
  for (const other of [{}, { dedupColumns: ['Name'] }]) {
    expect(fieldProblems(await ann.post(`${service}/imports`, anImport(other)))).toEqual(fixed)
  }
  const second = await importFile(portal, ann, 'Email,Name\nADA@x,Ada Lovelace\nbob@x,Bob\neve@x,Eve\n', byEmail)
  expect(second).toMatchObject({ status: 'completed', createdRecords: 1, updatedRecords: 1 })
  expect((await contactsOf(ann)).map(({ Name }) => Name)).toEqual(['Ada Lovelace', 'Bob', 'Ada again', 'Nobody', 'Eve'])
  expect(fieldProblems(await ann.post(dedupKeysPath, byEmail))).toMatchObject([{ field: 'dedupColumns' }])
})

test('contacts entered in a form get keys for the first import of the account, also one with other column names', async () => {
  await importFile(portal, ann, 'Email,Name\nada@x,Ada\n')
  // The contact of the form stays, without an import that binds.
  await ann.post(`${service}/offers`, { values: { Email: 'eve@x', Name: 'Eve' } })
  expect(await ann.post(`${service}/imports/1/undo`)).toMatchObject({ status: 202 })
  const undone = async () => (await ann.get(`${service}/imports/1`)).json<Import>().undo?.status === 'completed'
  await vi.waitUntil(undone, { timeout: 20_000, interval: 20 })
  expect(await computed(['Email'])).toMatchObject({ status: 'completed', totalRecords: 1, keyedRecords: 1 })
  // Changes and new contacts follow the rule already.
  const [eve] = await contactsOf(ann)
  expect((await editField(ann, eve?._id ?? '', 'Email', 'eve@x', 'eva@x')).status).toBe(200)
  const twice = await ann.post(`${service}/offers`, { values: { Email: 'Eva@x' } })
  expect(twice).toMatchObject({ status: 409, body: { error: { code: 'key_taken', details: { contact: eve?._id } } } })
  const settings = {
    generatePURL: true,
    purlColumns: ['Name'],
    dedupColumns: ['Mail'],
    columnMapping: { Mail: 'Email' },
  }
  expect(await importFile(portal, ann, 'Mail,Name\nEVA@x,Eva\nian@x,Ian\n', settings)).toMatchObject({
    status: 'completed',
    createdRecords: 1,
    updatedRecords: 1,
  })
})

test('where no contact has a value in the columns, the import is accepted, and adds its rows', async () => {
  await importFile(portal, ann, 'Email,Name\n,Ada\n,Bob\n')
  expect(await computed(['Email'])).toMatchObject({ status: 'completed', keyedRecords: 0, blankRecords: 2 })
  expect(await importFile(portal, ann, 'Email,Name\nada@x,Ada\n', byEmail)).toMatchObject({ createdRecords: 1 })
})

test('contacts that were deleted before do not return without a key', async () => {
  await importFile(portal, ann, people)
  const { _id } = await deleteBy(ann, [{ $match: { Name: 'Bob' } }], 1)
  await computed(['Email'])
  const message = expect.stringContaining('Since the dedup keys of all contacts were computed')
  expect(await askRestore(ann, _id)).toMatchObject({
    status: 409,
    body: { error: { code: 'not_restorable', message } },
  })
  const later = await deleteBy(ann, [{ $match: { Name: 'Ada' } }], 1)
  expect(await askRestore(ann, later._id)).toMatchObject({ status: 202 })
})

describe('computing keys', () => {
  test('is refused for unknown or repeated fields, and where every contact has a key', async () => {
    expect(fieldProblems(await ann.post(dedupKeysPath, byEmail))).toEqual([
      { field: 'dedupColumns', message: 'Contacts have no field "Email".' },
    ])
    await importFile(portal, ann, people)
    expect(fieldProblems(await ann.post(dedupKeysPath, { dedupColumns: ['Email', 'EMAIL'] }))).toMatchObject([
      { field: 'dedupColumns' },
    ])
    expect(await ann.post(dedupKeysPath, { dedupColumns: [] })).toMatchObject({ status: 400 })
    await deleteBy(ann, [{ $match: { Name: { $exists: true } } }], 4)
    expect(fieldProblems(await ann.post(dedupKeysPath, byEmail))).toMatchObject([
      { message: 'There are no contacts without a dedup key.' },
    ])
  })

  test('takes the right to import and an identity that sees all contacts, and says nothing of other accounts', async () => {
    await importFile(portal, ann, people)
    const reader = await memberWith(portal, ann.account, { actions: ['contact-service::imports::get'] })
    expect(await reader.post(dedupKeysPath, byEmail)).toMatchObject({ status: 403 })
    expect(await read(reader)).toMatchObject({ contactsWithoutKey: 4 })
    const some = await memberWith(portal, ann.account, { actions: ['*::*::*'] })
    await setRowRule(portal, await identityOf(portal, some), [{ $match: { Name: 'Ada' } }])
    expect(await some.post(dedupKeysPath, byEmail)).toMatchObject({ status: 403 })
    expect(await some.get(dedupKeysPath)).toMatchObject({ status: 403 })
    const stranger = await portal.member(await portal.account())
    expect(await read(stranger)).toEqual({ contactsWithoutKey: 0, computation: null })
    // Which contacts have the same values is for those who may read these values of all contacts.
    expect(await computed(['Email'])).toMatchObject({ duplicateRecords: 1, duplicates: [{}] })
    const twofold = await memberWith(portal, ann.account, { actions: ['contact-service::imports::get'] })
    await addSight(portal, twofold, [{ $match: { Name: 'Ada' } }])
    for (const by of [reader, twofold]) {
      expect((await read(by)).computation).toMatchObject({ duplicateRecords: 1, duplicates: [] })
    }
  })
})

describe('without a worker', () => {
  let idle: TestPortal
  beforeAll(async () => {
    idle = await startPortal()
  })
  afterAll(() => idle.close())

  test('imports are refused until the keys are computed, and a rejected computation is made again', async () => {
    const owner = await idle.member(await idle.account())
    await submit(idle, owner, people)
    expect(await owner.post(dedupKeysPath, byEmail)).toMatchObject({
      status: 409,
      body: { error: { code: 'import_running' } },
    })
    const { pool } = idle.parts.database
    await runImportOf(idle, owner, '1')
    const maker = await memberWith(idle, owner.account, { actions: ['contact-service::imports::*'] })
    const { _id } = (await maker.post(dedupKeysPath, byEmail)).json<KeyComputation>()
    await upload(idle, owner, 'contacts.csv', people)
    const refused = async () => fieldProblems(await owner.post(`${service}/imports`, anImport(byEmail)))
    expect(await refused()).toMatchObject([{ message: expect.stringContaining('are being computed') }])
    expect(await owner.post(dedupKeysPath, byEmail)).toMatchObject({
      status: 409,
      body: { error: { code: 'import_running' } },
    })

    await pool.query(`UPDATE portico.policies SET actions = '{contact-service::imports::get}' WHERE account_id = $1`, [
      owner.account,
    ])
    await runComputationOf(idle, owner, _id)
    expect((await read(owner)).computation).toMatchObject({
      status: 'rejected',
      reason: expect.stringContaining('no longer allow it'),
    })
    expect(await refused()).toMatchObject([{ message: expect.stringContaining('Compute the keys again.') }])
    const again = (await owner.post(dedupKeysPath, byEmail)).json<KeyComputation>()
    await runComputationOf(idle, owner, again._id)
    expect((await read(owner)).computation).toMatchObject({ status: 'completed', keyedRecords: 2, duplicateRecords: 1 })
    expect((await submit(idle, owner, people, byEmail)).status).toBe('waiting')
  })
})
