import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { JobInterrupted } from '#platform/jobs/jobs.ts'
import { identityOf, memberWith, setConditions } from '#test/resources/access.ts'
import { removeIdentity } from '#test/resources/dashboards.ts'
import { importAtOnce, readImport, runImportOf, runUndoOf } from '#test/resources/import-undos.ts'
import { contactsOf, submit, withPurl } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// The right to undo an import, and concurrent work on its contacts.

let portal: TestPortal
let owner: Member
let importId: string
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
  importId = (await load('First,Last,Email\nAda,King,a@x\nBob,Ray,b@x\n'))._id
})

const imports = '/contact-service/v1/imports'
const offers = '/contact-service/v1/offers'
/** Rights that an undo requires in addition to its own. */
const ofContacts = ['contact-service::offers::delete', 'contact-service::offers::put']
const query = (text: string, ...values: unknown[]) => portal.parts.database.pool.query(text, values)
const load = (content: string) => importAtOnce(portal, owner, content, withPurl)
const undo = (by: Member, id = importId) => by.post(`${imports}/${id}/undo`)
const names = async () => (await contactsOf(owner)).map(({ First }) => First)
const refused = (status: number, code: string, message: unknown = expect.any(String)) => ({
  status,
  body: { error: { code, message } },
})

describe('undoing an import', () => {
  test('requires contact-service::imports::delete and the rights to delete and change contacts', async () => {
    const only = (...actions: string[]) => memberWith(portal, owner.account, { actions })
    const withoutImports = await only('contact-service::imports::get', 'contact-service::offers::*')
    expect(await undo(withoutImports)).toMatchObject(refused(403, 'not_allowed'))
    expect(await withoutImports.get(`${imports}/${importId}/undo`)).toMatchObject({ status: 200 })
    const withoutDeletes = await only('contact-service::imports::*')
    expect(await undo(withoutDeletes)).toMatchObject(refused(403, 'not_allowed'))
    expect((await readImport(owner, importId)).undo).toBeNull()
    const withoutChanges = await only('contact-service::imports::*', 'contact-service::offers::delete')
    expect(await undo(withoutChanges)).toMatchObject(refused(403, 'not_allowed'))
    const all = await only('contact-service::imports::*', ...ofContacts)
    expect(await undo(all)).toMatchObject({ status: 202 })
  })

  test.each(ofContacts)('requires %s without conditions, including when it starts', async (action) => {
    const others = ['contact-service::imports::*', ...ofContacts.filter((each) => each !== action)]
    const few = { actions: [action], conditions: ['body::deletedRecords::in::0,1'] }
    const limited = await memberWith(portal, owner.account, { actions: others }, few)
    const message = expect.stringContaining(`needs the action ${action} without conditions`)
    expect(await undo(limited)).toMatchObject(refused(403, 'not_allowed', message))

    const trusted = await memberWith(portal, owner.account, { actions: [...others, action] })
    expect(await undo(trusted)).toMatchObject({ status: 202 })
    await setConditions(portal, trusted, few.conditions)
    await runUndoOf(portal, owner, importId)
    expect((await readImport(owner, importId)).undo).toMatchObject({ status: 'rejected' })
    expect(await names()).toEqual(['Ada', 'Bob'])
  })

  test('is refused for an identity with a row rule and for another account', async () => {
    const some = await memberWith(portal, owner.account, { actions: ['*::*::*'] })
    const rule = JSON.stringify([{ $match: { First: 'Ada' } }])
    await query('UPDATE portico.identities SET row_rule = $2 WHERE id = $1', await identityOf(portal, some), rule)
    expect(await undo(some)).toMatchObject(refused(403, 'not_allowed', expect.stringContaining('only some contacts')))
    expect(await some.get(`${imports}/${importId}/undo`)).toMatchObject(refused(403, 'not_allowed'))
    const stranger = await portal.member(await portal.account())
    expect(await undo(stranger)).toMatchObject(refused(404, 'not_found'))
    expect(await stranger.get(`${imports}/${importId}/undo`)).toMatchObject(refused(404, 'not_found'))
  })

  test('is rejected with the reason if its requester loses access; another person can retry', async () => {
    const maker = await memberWith(portal, owner.account, { actions: ['*::*::*'] })
    expect(await undo(maker)).toMatchObject({ status: 202 })
    await removeIdentity(portal, maker)
    await runUndoOf(portal, owner, importId)
    expect((await readImport(owner, importId)).undo).toMatchObject({
      status: 'rejected',
      by: maker.email,
      reason: expect.stringContaining('no longer has access'),
    })
    expect(await names()).toEqual(['Ada', 'Bob'])
    expect(await undo(owner)).toMatchObject({ status: 202 })
    await runUndoOf(portal, owner, importId)
    expect((await readImport(owner, importId)).undo).toMatchObject({ status: 'completed', by: owner.email })
    expect(await names()).toEqual([])
  })

  test('is rejected if its requester can no longer delete contacts', async () => {
    const maker = await memberWith(portal, owner.account, {
      actions: ['contact-service::imports::*', ...ofContacts],
    })
    await undo(maker)
    await query(
      `UPDATE portico.policies SET actions = '{contact-service::imports::*}' WHERE account_id = $1`,
      owner.account,
    )
    await runUndoOf(portal, owner, importId)
    expect((await readImport(owner, importId)).undo).toMatchObject({ status: 'rejected' })
    expect(await names()).toEqual(['Ada', 'Bob'])
  })
})

test('an undo interrupted by its stopping worker resumes later, and the interruption is not an attempt', async () => {
  await undo(owner)
  const stopping = new AbortController()
  stopping.abort()
  await expect(runUndoOf(portal, owner, importId, { signal: stopping.signal })).rejects.toThrow(JobInterrupted)
  expect((await readImport(owner, importId)).undo).toMatchObject({ status: 'processing' })
  await runUndoOf(portal, owner, importId)
  expect((await readImport(owner, importId)).undo).toMatchObject({ status: 'completed' })
})

describe('concurrency', () => {
  test('an undo is refused while an import is running or waiting', async () => {
    const { _id } = await submit(portal, owner, 'First,Last,Email\nEve,Moor,e@x\n', withPurl)
    expect(await undo(owner)).toMatchObject(refused(409, 'import_running'))
    expect(await undo(owner, _id)).toMatchObject(refused(409, 'not_undoable', 'This import has not ended yet.'))
    await runImportOf(portal, owner, _id)
    expect(await undo(owner)).toMatchObject({ status: 202 })
  })

  test('an import submitted during an undo waits for it', async () => {
    await undo(owner)
    await submit(portal, owner, 'First,Last,Email\nAda,Queen,a@x\n', withPurl)
    const { rows } = await query(
      `SELECT data->>'importId' AS import, (data->'undoes') IS NOT NULL AS undoes, blocked FROM jobs.job
       WHERE name = 'run-import' AND (data->>'account')::int = $1 AND state < 'active' ORDER BY created_on DESC LIMIT 2`,
      owner.account,
    )
    expect(rows.map(({ import: id, undoes }) => [id, undoes])).toEqual([
      ['2', false],
      [importId, true],
    ])
  })

  test('contacts cannot be added, nor keys changed, during an undo', async () => {
    await undo(owner)
    await query(`UPDATE account_${owner.account}.imports SET undo_status = 'processing'`)
    const [ada] = await contactsOf(owner)
    const changes = { Email: { from: 'a@x', to: 'c@x' } }
    expect(await owner.put(`${offers}/${ada?._id}`, { changes })).toMatchObject(refused(409, 'import_running'))
    expect(await owner.post(offers, { values: { Email: 'c@x' } })).toMatchObject(refused(409, 'import_running'))
    await runUndoOf(portal, owner, importId)
    expect(await owner.post(offers, { values: { First: 'Eve' } })).toMatchObject({ status: 400 })
  })

  test('an undo waits for a contact that is being written and evaluates the new values', async () => {
    const second = await load('First,Last,Email\nAda,Queen,a@x\nBob,Roy,b@x\n')
    await undo(owner, second._id)
    const [ada] = await contactsOf(owner)
    const schema = `account_${owner.account}`
    await writer.query('BEGIN')
    await writer.query(`UPDATE ${schema}.contacts SET c2 = 'Byron' WHERE id = $1`, [ada?._id])
    const running = runUndoOf(portal, owner, second._id)
    await expect.poll(async () => (await readImport(owner, second._id)).undo?.status).toBe('processing')
    await writer.query('COMMIT')
    await running
    expect((await contactsOf(owner)).map(({ Last }) => Last)).toEqual(['Byron', 'Ray'])
    expect((await owner.get(`${imports}/${second._id}/undo`)).body).toMatchObject({
      returnedContacts: 1,
      keptValues: 1,
      kept: [{ contact: ada?._id, field: 'Last', reason: 'changed' }],
    })
  })

  test('a concurrent bulk delete of the same contacts leaves nothing behind', async () => {
    const rows = Array.from({ length: 6000 }, (_, at) => `N${at},Moor,n${at}@x`)
    const { _id } = await load(['First,Last,Email', ...rows].join('\n'))
    await undo(owner, _id)
    const filter = [{ $match: { Import: Number(_id) } }]
    // From here on a worker runs the undo at the same time as this request.
    await portal.startWorker()
    const answer = await owner.delete(offers, { filter, deletedRecords: 6000 })
    // The undo may have been first.
    expect([200, 409]).toContain(answer.status)
    await expect.poll(async () => (await readImport(owner, _id)).undo?.status, { timeout: 30_000 }).toBe('completed')
    expect(await names()).toEqual(['Ada', 'Bob'])
    const { rows: left } = await query(`SELECT count(*)::int AS keys FROM account_${owner.account}.contact_keys`)
    expect(left).toEqual([{ keys: 2 }])
  })
})
