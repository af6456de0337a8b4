import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { JobInterrupted } from '#platform/jobs/jobs.ts'
import { identityOf, memberWith, setConditions } from '#test/resources/access.ts'
import { removeIdentity } from '#test/resources/dashboards.ts'
import {
  askRestore,
  countKept,
  deleteBy,
  listDeletes,
  missingOf,
  readDelete,
  restorePath,
  runRestoreOf,
} from '#test/resources/delete-undos.ts'
import { importAtOnce, runImportOf } from '#test/resources/import-undos.ts'
import { contactsOf, submit, withPurl } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// The right to undo a bulk delete or to erase its contacts, and concurrent work.

let portal: TestPortal
let owner: Member
let deleted: string

beforeAll(async () => {
  // No worker in this process: the tests run the jobs themselves.
  portal = await startPortal()
})
afterAll(() => portal.close())
beforeEach(async () => {
  owner = await portal.member(await portal.account())
  await importAtOnce(portal, owner, 'First,Last,Email\nAda,King,a@x\nBob,Ray,b@x\n', withPurl)
  deleted = (await deleteBy(owner, [{ $match: { First: 'Ada' } }], 1))._id
})

const service = '/contact-service/v1'
const query = (text: string, ...values: unknown[]) => portal.parts.database.pool.query(text, values)
const erase = (by: Member, id = deleted) => by.delete(`${service}/deletes/${id}/contents`, { deletedRecords: 1 })
const names = async () => (await contactsOf(owner)).map(({ First }) => First)
const refused = (status: number, code: string, message: unknown = expect.any(String)) => ({
  status,
  body: { error: { code, message } },
})
const ways = [
  ['undoing', askRestore],
  ['erasing', erase],
  ['reading what did not return', (by: Member, id = deleted) => by.get(restorePath(id))],
] as const

describe.each(ways)('%s', (_what, call) => {
  test('requires the right to delete contacts', async () => {
    const reader = await memberWith(portal, owner.account, { actions: ['contact-service::offers::get'] })
    expect(await call(reader, deleted)).toMatchObject(refused(403, 'not_allowed'))
    const other = await memberWith(portal, owner.account, { actions: ['contact-service::offers::delete'] })
    expect([200, 202]).toContain((await call(other, deleted)).status)
  })

  test('requires that right without conditions, as the contacts are not in the request', async () => {
    const ofSome = ['body::filter::nct::VIP', 'body::deletedRecords::eq::1']
    for (const condition of ofSome) {
      const some = await memberWith(portal, owner.account, {
        actions: ['contact-service::offers::delete'],
        conditions: [condition],
      })
      expect(await call(some, deleted)).toMatchObject(
        refused(403, 'not_allowed', expect.stringContaining('without conditions')),
      )
    }
    expect(await countKept(portal, owner)).toBeGreaterThan(0)
  })

  test('is refused for an identity with a row rule and for another account', async () => {
    const some = await memberWith(portal, owner.account, { actions: ['*::*::*'] })
    const rule = JSON.stringify([{ $match: { First: 'Ada' } }])
    await query('UPDATE portico.identities SET row_rule = $2 WHERE id = $1', await identityOf(portal, some), rule)
    expect(await call(some, deleted)).toMatchObject(refused(403, 'not_allowed', expect.stringContaining('only some')))
    const stranger = await portal.member(await portal.account())
    expect(await call(stranger, deleted)).toMatchObject(refused(404, 'not_found'))
    for (const id of ['0', `0${deleted}`, 'x', '99999999999999999999']) {
      expect(await call(owner, id)).toMatchObject(refused(404, 'not_found'))
    }
    expect(await countKept(portal, owner)).toBeGreaterThan(0)
    expect(await names()).toEqual(['Bob'])
  })
})

test('the history shows no values of deleted contacts', async () => {
  await askRestore(owner, deleted)
  await importAtOnce(portal, owner, 'First,Last,Email\nBea,Roy,a@x\n', withPurl)
  await runRestoreOf(portal, owner, deleted)
  expect(await missingOf(owner, deleted)).toMatchObject([{ fields: ['Email'], reason: 'key_taken' }])
  const told = JSON.stringify([await listDeletes(owner), (await owner.get(restorePath(deleted))).body])
  expect(told.replaceAll('"First":"Ada"', '')).not.toMatch(/Ada|King|a@x/)
})

test('an undo is rejected with the reason if its requester loses the right; another person can retry', async () => {
  const maker = await memberWith(portal, owner.account, { actions: ['*::*::*'] })
  expect(await askRestore(maker, deleted)).toMatchObject({ status: 202 })
  await removeIdentity(portal, maker)
  await runRestoreOf(portal, owner, deleted)
  expect((await readDelete(owner, deleted)).restore).toMatchObject({
    status: 'rejected',
    by: maker.email,
    reason: expect.stringContaining('no longer has access'),
  })
  expect(await names()).toEqual(['Bob'])
  expect(await askRestore(owner, deleted)).toMatchObject({ status: 202 })
  await runRestoreOf(portal, owner, deleted)
  expect((await readDelete(owner, deleted)).restore).toMatchObject({ status: 'completed', reason: null })
  expect(await names()).toEqual(['Ada', 'Bob'])
})

test('an undo is rejected if the right of its requester gets a condition meanwhile', async () => {
  const maker = await memberWith(portal, owner.account, { actions: ['contact-service::offers::delete'] })
  expect(await askRestore(maker, deleted)).toMatchObject({ status: 202 })
  await setConditions(portal, maker, ['body::filter::nct::VIP'])
  await runRestoreOf(portal, owner, deleted)
  expect((await readDelete(owner, deleted)).restore).toMatchObject({
    status: 'rejected',
    reason: expect.stringContaining('no longer allow it'),
  })
  expect(await names()).toEqual(['Bob'])
})

test('an undo interrupted by a stopping worker continues later', async () => {
  await askRestore(owner, deleted)
  const stopping = new AbortController()
  stopping.abort()
  await expect(runRestoreOf(portal, owner, deleted, stopping.signal)).rejects.toThrow(JobInterrupted)
  expect((await readDelete(owner, deleted)).restore).toMatchObject({ status: 'processing' })
  await runRestoreOf(portal, owner, deleted)
  expect((await readDelete(owner, deleted)).restore).toMatchObject({ status: 'completed' })
})

describe('an undo alongside other work', () => {
  test('is refused while an import runs or waits, and a later import waits for it', async () => {
    const { _id } = await submit(portal, owner, 'First,Last,Email\nEve,Moor,e@x\n', withPurl)
    expect(await askRestore(owner, deleted)).toMatchObject(refused(409, 'import_running'))
    await runImportOf(portal, owner, _id)
    expect(await askRestore(owner, deleted)).toMatchObject({ status: 202 })
    const later = await submit(portal, owner, 'First,Last,Email\nAda,Queen,a@x\n', withPurl)
    const { rows } = await query(
      `SELECT data - 'account' AS data FROM jobs.job
       WHERE name = 'run-import' AND (data->>'account')::int = $1 AND state < 'active' ORDER BY created_on DESC LIMIT 2`,
      owner.account,
    )
    expect(rows.map(({ data }) => data as unknown)).toEqual([
      { importId: Number(later._id) },
      { restoredDelete: deleted },
    ])
  })

  test('blocks type changes, and erasing or undoing the delete again, until it ends', async () => {
    await askRestore(owner, deleted)
    const fields = (await owner.get(`${service}/fields/details`)).json<{ _id: string; name: string }[]>()
    const last = fields.find(({ name }) => name === 'Last')
    const reading = { type: 'number', decimal: 'point' }
    expect(await owner.put(`${service}/fields/${last?._id}/type`, { reading, broken: 0 })).toMatchObject(
      refused(409, 'field_busy', expect.stringContaining('A delete is being undone')),
    )
    for (const call of [erase, askRestore]) {
      expect(await call(owner, deleted)).toMatchObject(refused(409, 'not_restorable', 'This delete is being undone.'))
    }
    await runRestoreOf(portal, owner, deleted)
    expect(await names()).toEqual(['Ada', 'Bob'])
  })

  test('is refused while the type of a field is changed', async () => {
    const fields = (await owner.get(`${service}/fields/details`)).json<{ _id: string; name: string }[]>()
    const last = fields.find(({ name }) => name === 'Last')
    const reading = { type: 'number', decimal: 'point' }
    await owner.put(`${service}/fields/${last?._id}/type`, { reading, broken: 0 })
    expect(await askRestore(owner, deleted)).toMatchObject(refused(409, 'field_busy'))
  })

  test('leaves a key to the contact that gets it first', async () => {
    await askRestore(owner, deleted)
    await query(`UPDATE account_${owner.account}.deletes SET restore_status = 'processing'`)
    expect(await owner.post(`${service}/offers`, { values: { First: 'Bea', Email: 'a@x' } })).toMatchObject({
      status: 201,
    })
    await runRestoreOf(portal, owner, deleted)
    expect((await readDelete(owner, deleted)).restore).toMatchObject({ restoredRecords: 0, missingRecords: 1 })
    await query(`DELETE FROM account_${owner.account}.contact_keys WHERE id < (1::bigint << 33)`)
    await askRestore(owner, deleted)
    await runRestoreOf(portal, owner, deleted)
    expect(await owner.post(`${service}/offers`, { values: { First: 'Eve', Email: 'a@x' } })).toMatchObject(
      refused(409, 'key_taken'),
    )
  })
})
