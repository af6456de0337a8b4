import type { ContactChange } from '@portico/contract/contact-edits'
import type { Field } from '@portico/contract/contacts'
import type { FieldEntry } from '@portico/contract/fields'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { identityOf, memberWith } from '#test/resources/access.ts'
import { addCron } from '#test/resources/crons.ts'
import { contactsOf, importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { restrictedMember } from '#test/resources/row-rules.ts'
import { removeDeletedFields } from './field-deletes.service.ts'

const service = '/contact-service/v1'
type Refusal = { error: { message: string } }

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

async function aMember(): Promise<Member> {
  const made = await portal.member(await portal.account())
  await importFile(portal, made, 'Email,City,Note\na@x,Oslo,x\nb@x,Rome,y\n')
  return made
}
const detailed = async (of: Member) => (await of.get(`${service}/fields/details`)).json<FieldEntry[]>()
const idOf = async (of: Member, name: string) => (await detailed(of)).find((field) => field.name === name)?._id ?? ''
const remove = async (of: Member, name: string, query = '') =>
  of.delete(`${service}/fields/${await idOf(of, name)}${query}`)
const restore = async (of: Member, name: string) => of.post(`${service}/fields/${await idOf(of, name)}/restore`)
const names = async (of: Member) => (await of.get(`${service}/fields`)).json<Field[]>().map(({ name }) => name)
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)

test('a deleted field is hidden everywhere and can be restored with its values', async () => {
  const member = await aMember()
  expect(await remove(member, 'City')).toMatchObject({ status: 200, body: { deleted: { by: member.email } } })
  expect(await names(member)).toEqual(['Email', 'Note'])
  expect(await contactsOf(member)).toMatchObject([{ Email: 'a@x', Note: 'x' }, { Email: 'b@x' }])
  expect((await contactsOf(member))[0]).not.toHaveProperty('City')
  const find = encodeURIComponent('[{"$match":{"City":"Oslo"}}]')
  expect(await member.get(`${service}/offers?find=${find}`)).toMatchObject({ status: 400 })
  // Twice is once: the second finds no field.
  expect(await remove(member, 'City')).toMatchObject({ status: 404 })
  expect(await member.get(`${service}/fields/${await idOf(member, 'City')}/details`)).toMatchObject({ status: 404 })

  expect(await restore(member, 'City')).toMatchObject({ status: 200, body: { deleted: null } })
  expect((await contactsOf(member)).map(({ City }) => City)).toEqual(['Oslo', 'Rome'])
  expect(await restore(member, 'City')).toMatchObject({ status: 404 })
  const { rows } = await portal.parts.database.pool.query(
    `SELECT action FROM portico.audit_log WHERE account_id = $1 AND action LIKE 'field %' ORDER BY id`,
    [member.account],
  )
  expect(rows.map(({ action }) => action)).toEqual(['field deleted', 'field restored'])
})

test('a deleted field cannot be restored while an imported field has its name', async () => {
  const member = await aMember()
  await remove(member, 'City')
  await importFile(portal, member, 'Email,City\nc@x,Bern\n')
  expect((await contactsOf(member)).map(({ City }) => City)).toEqual([undefined, undefined, 'Bern'])
  const [deleted] = (await detailed(member)).filter((field) => field.deleted)
  const back = () => member.post(`${service}/fields/${deleted?._id}/restore`)
  expect(await back()).toMatchObject({ status: 409, body: { error: { code: 'name_taken' } } })
  const other = (await detailed(member)).find(({ name, deleted: gone }) => name === 'City' && !gone)
  expect(await member.put(`${service}/fields/${other?._id}`, { name: 'Town' })).toMatchObject({ status: 200 })
  expect(await back()).toMatchObject({ status: 200 })
  expect((await contactsOf(member)).map(({ City, Town }) => City ?? Town)).toEqual(['Oslo', 'Rome', 'Bern'])
})

test('no field is restored beyond the limit of the account', async () => {
  const member = await aMember()
  await remove(member, 'City')
  await portal.parts.database.pool.query(
    `INSERT INTO account_${member.account}.fields (id, name, name_key, type, part, created_at)
     SELECT number, 'Field ' || number, 'field ' || number, 'string', 1, now() FROM generate_series(4, 5001) AS number`,
  )
  expect(await restore(member, 'City')).toMatchObject({ status: 409, body: { error: { code: 'limit_reached' } } })
  expect(await names(member)).not.toContain('City')
  await portal.parts.database.pool.query(`DELETE FROM account_${member.account}.fields WHERE id = 5001`)
  expect(await restore(member, 'City')).toMatchObject({ status: 200 })
})

test('a deletion requires confirming the number of uses, and is blocked by uses that require the field', async () => {
  const member = await aMember()
  await member.post(`${service}/rdls`, { name: 'In Oslo', aggregateQuery: '[{"$match":{"City":"Oslo"}}]' })
  await addCron(member, { instruction: { name: 'Daily export', delimiter: 'csv', exportFields: ['City'] } })
  const refused = { status: 409, body: { error: { code: 'in_use', details: { uses: 2 } } } }
  expect(await remove(member, 'City')).toMatchObject(refused)
  expect(await remove(member, 'City', '?uses=1')).toMatchObject(refused)
  expect(await remove(member, 'City', '?uses=2')).toMatchObject({ status: 200 })

  await member.post(`${service}/indexes`, { key: [['Note', 1]] })
  const answer = await remove(member, 'Note')
  expect(answer).toMatchObject({ status: 409, body: { error: { code: 'in_use' } } })
  expect(JSON.stringify(answer.body)).toContain('cIndex_Note_1')
  expect(await names(member)).toEqual(['Email', 'Note'])
})

test('only administrators see the name of what blocks a deletion or a rename', async () => {
  const member = await aMember()
  const viewer = await restrictedMember(portal, member.account, [{ $match: { City: 'Oslo' } }])
  const policy = { actions: ['contact-service::offers::get'], conditions: ['query::select::ct::Note'] }
  await memberWith(portal, member.account, policy)
  const clerk = await portal.member(member.account, 'contact-service::fields::*', 'contact-service::offers::get')
  const told = async (by: Member) => {
    const [city, note] = [await idOf(member, 'City'), await idOf(member, 'Note')]
    const deletion = await by.delete(`${service}/fields/${city}`)
    expect(deletion).toMatchObject({ status: 409, body: { error: { code: 'in_use' } } })
    const renamed = await by.put(`${service}/fields/${note}`, { name: 'Remark' })
    return [deletion, renamed].map(({ status, body }) => [status, (body as Refusal).error.message])
  }
  expect(await told(clerk)).toEqual([
    [409, 'A row rule needs this field. Change or delete it first.'],
    [409, expect.stringMatching(/^A policy would mean something else with this name/)],
  ])
  expect(await told(member)).toEqual([
    [409, `The row rule "${viewer.email}" needs this field. Change or delete it first.`],
    [409, expect.stringMatching(/^The policy ".+" would mean something else with this name/)],
  ])
})

test('deleting and restoring require the right, access to all contacts and the account of the field', async () => {
  const member = await aMember()
  const id = await idOf(member, 'City')
  const clerk = await portal.member(member.account, 'contact-service::fields::put', 'contact-service::offers::get')
  expect(await clerk.delete(`${service}/fields/${id}`)).toMatchObject({ status: 403 })
  const limited = await portal.member(member.account)
  await portal.parts.database.pool.query('UPDATE portico.identities SET row_rule = $2 WHERE id = $1', [
    await identityOf(portal, limited),
    JSON.stringify([{ $match: { Email: 'a@x' } }]),
  ])
  expect(await limited.delete(`${service}/fields/${id}`)).toMatchObject({ status: 403 })
  const stranger = await portal.member(await portal.account())
  expect(await stranger.delete(`${service}/fields/${id}`)).toMatchObject({ status: 404 })
  await remove(member, 'City')
  expect(await clerk.post(`${service}/fields/${id}/restore`)).toMatchObject({ status: 403 })
  expect(await stranger.post(`${service}/fields/${id}/restore`)).toMatchObject({ status: 404 })
})

test('the history of a contact hides the values of a deleted field, and loses them when it is removed', async () => {
  const member = await aMember()
  const { db, pool } = portal.parts.database
  const [contact] = await contactsOf(member)
  const offer = `${service}/offers/${contact?._id}`
  const edit = (changes: object) => member.put(offer, { changes })
  expect(await edit({ City: { from: 'Oslo', to: 'Lima' } })).toMatchObject({ status: 200 })
  const both = { City: { from: 'Lima', to: 'Quito' }, Email: { from: 'a@x', to: 'c@x' } }
  expect(await edit(both)).toMatchObject({ status: 200 })
  const shown = async () =>
    (await member.get(`${offer}/changes`)).json<ContactChange[]>().map(({ values }) => values.map(({ field }) => field))
  expect(await shown()).toEqual([['City', 'Email'], ['City']])
  await remove(member, 'City')
  expect(await shown()).toEqual([['Email']])
  await restore(member, 'City')
  expect(await shown()).toEqual([['City', 'Email'], ['City']])
  await remove(member, 'City')
  expect(await removeDeletedFields(db, member.account, inDays(31))).toBe(1)
  const { rows } = await pool.query(`SELECT fields FROM account_${member.account}.contact_changes`)
  expect(rows).toEqual([{ fields: [{ field: 1, name: 'Email', from: 'a@x', to: 'c@x' }] }])
})

test('deleting contacts also deletes their values in a table whose fields are all deleted', async () => {
  const member = await aMember()
  const { pool } = portal.parts.database
  const schema = `account_${member.account}`
  const far = Array.from({ length: 300 }, (_, at) => `Far ${at}`)
  await importFile(portal, member, `Email,${far.join(',')}\na@x,${far.map((name) => `of ${name}`).join(',')}\n`)
  const count = async () => (await pool.query(`SELECT FROM ${schema}.contacts_2`)).rowCount
  expect(await count()).toBeGreaterThan(0)
  await pool.query(`UPDATE ${schema}.fields SET deleted_at = now(), deleted_by = 'ada' WHERE part = 2`)
  await pool.query('UPDATE portico.accounts SET fields_version = fields_version + 1 WHERE id = $1', [member.account])
  const filter = [{ $match: { Email: { $exists: true } } }]
  const deletedRecords = (await contactsOf(member)).length
  expect(await member.delete(`${service}/offers`, { filter, deletedRecords })).toMatchObject({ status: 200 })
  expect(await count()).toBe(0)
})

test('values are removed after 30 days, even if the worker stops during the removal', async () => {
  const { db, pool } = portal.parts.database
  const member = await aMember()
  const { account } = member
  await remove(member, 'City')
  await remove(member, 'Note')
  expect(await removeDeletedFields(db, account, inDays(29))).toBe(0)
  expect(await restore(member, 'Note')).toMatchObject({ status: 200 })
  await remove(member, 'Note')
  // A reader of the contacts is not waited for, and nothing is half done.
  const reader = await pool.connect()
  try {
    await reader.query('BEGIN')
    await reader.query(`SELECT * FROM account_${account}.contacts`)
    expect(await removeDeletedFields(db, account, inDays(31))).toBe(0)
    expect((await detailed(member)).map(({ name }) => name)).toEqual(['Email', 'City', 'Note'])
    await reader.query('ROLLBACK')
  } finally {
    reader.release()
  }
  expect(await removeDeletedFields(db, account, inDays(31))).toBe(2)
  expect(await removeDeletedFields(db, account, inDays(31))).toBe(0)
  expect((await detailed(member)).map(({ name }) => name)).toEqual(['Email'])
  await importFile(portal, member, 'Email,City\nc@x,Bern\n')
  expect((await contactsOf(member)).map(({ City }) => City)).toEqual([undefined, undefined, 'Bern'])
})

test('the id of a deleted field is not reused while the field can be restored', async () => {
  const member = await aMember()
  await remove(member, 'Note')
  await importFile(portal, member, 'Email,Fresh\nc@x,new\n')
  expect(await restore(member, 'Note')).toMatchObject({ status: 200 })
  expect((await contactsOf(member)).map(({ Note, Fresh }) => Note ?? Fresh)).toEqual(['x', 'y', 'new'])
})

test('the history drops the values of a removed field, and a later field does not inherit them', async () => {
  const { db } = portal.parts.database
  const member = await aMember()
  const { account } = member
  const [contact] = await contactsOf(member)
  const path = `${service}/offers/${String(contact?._id)}`
  const edited = { changes: { City: { from: 'Oslo', to: 'Bern' }, Note: { from: 'x', to: null } } }
  expect(await member.put(path, edited)).toMatchObject({ status: 200 })
  await remove(member, 'Note')
  expect(await removeDeletedFields(db, account, inDays(31))).toBe(1)
  await importFile(portal, member, 'Email,Nickname\nd@x,Dee\n')
  const [change] = (await member.get(`${path}/changes`)).json<ContactChange[]>()
  expect(change?.values).toEqual([{ field: 'City', from: 'Oslo', to: 'Bern' }])
  expect(await member.post(`${path}/changes/${change?._id}/undo`)).toMatchObject({ status: 200 })
  expect((await contactsOf(member))[0]).toMatchObject({ City: 'Oslo' })
  expect((await contactsOf(member))[0]).not.toHaveProperty('Nickname')
})
