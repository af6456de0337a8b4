import type { FieldDetails, FieldEntry } from '@portico/contract/fields'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { identityOf } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron } from '#test/resources/crons.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Fields are changed whatever the size of the saved filters and crons that name them. Requests hold 50 MB at most.

const service = '/contact-service/v1'
const copies = 75

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

/** Stages that name the field, of 73 bytes for each value. */
const longQuery = (field: string, length = 10_000): string => {
  const values = Array.from({ length }, (_, at) => `${at}-`.padEnd(70, '0123456789abcdef-'))
  return JSON.stringify([{ $match: { [field]: { $in: values } } }])
}
const aMember = async (): Promise<Member> => {
  const member = await portal.member(await portal.account())
  await addContacts(portal.parts.database, member.account, { Email: 'string', Phone: 'string' }, [{ Email: 'a@x' }])
  return member
}
const pathOf = async (member: Member): Promise<string> => {
  const fields = (await member.get(`${service}/fields/details`)).json<FieldEntry[]>()
  return `${service}/fields/${fields.find(({ name }) => name === 'Phone')?._id}`
}

/** Copies the only row of the account in a table, under other names. */
async function copyRow({ account }: Member, table: string): Promise<void> {
  const { pool } = portal.parts.database
  const { rows } = await pool.query<{ names: string }>(
    `SELECT string_agg(quote_ident(column_name), ', ') AS names FROM information_schema.columns
     WHERE table_schema = 'portico' AND table_name = $1 AND column_name NOT IN ('id', 'name', 'name_key')`,
    [table],
  )
  await pool.query(
    `INSERT INTO portico.${table} (id, name, name_key, ${rows[0]?.names})
     SELECT gen_random_uuid(), 'Copy ' || n, 'copy ' || n, ${rows[0]?.names}
     FROM portico.${table}, generate_series(2, ${copies}) AS n WHERE account_id = ${account}`,
  )
}
const countNaming = async ({ account }: Member, text: string): Promise<object[]> => {
  const { rows } = await portal.parts.database.pool.query<object>(text, [account])
  return rows
}

test('a field named by more than 50 MB of saved filters is described, renamed and deleted', async () => {
  const member = await aMember()
  const path = await pathOf(member)
  const filter = { name: 'Long', aggregateQuery: longQuery('Phone') }
  expect(await member.post(`${service}/rdls`, filter)).toMatchObject({ status: 201 })
  await copyRow(member, 'saved_filters')
  const { uses } = (await member.get(`${path}/details`)).json<FieldDetails>()
  expect(uses).toHaveLength(copies)
  expect(await member.put(path, { name: 'Mobile' })).toMatchObject({ status: 200 })
  const counted = `
    SELECT count(*)::int AS renamed FROM portico.saved_filters WHERE account_id = $1 AND aggregate_query LIKE '%"Mobile"%'`
  expect(await countNaming(member, counted)).toEqual([{ renamed: copies }])
  expect(await member.delete(`${path}?uses=${copies}`)).toMatchObject({ status: 200 })
}, 120_000)

test('a field named by more than 50 MB of crons is described, renamed and deleted', async () => {
  const member = await aMember()
  const path = await pathOf(member)
  const instruction = { name: 'Daily', delimiter: 'csv', exportFields: ['_id'], aggregateQuery: longQuery('Phone') }
  await addCron(member, { instruction })
  await copyRow(member, 'crons')
  const { uses } = (await member.get(`${path}/details`)).json<FieldDetails>()
  expect(uses).toHaveLength(copies)
  expect(await member.put(path, { name: 'Mobile' })).toMatchObject({ status: 200 })
  const counted = `
    SELECT count(*)::int AS renamed FROM portico.crons
    WHERE account_id = $1 AND instruction->>'aggregateQuery' LIKE '%"Mobile"%'`
  expect(await countNaming(member, counted)).toEqual([{ renamed: copies }])
  expect(await member.delete(`${path}?uses=${copies}`)).toMatchObject({ status: 200 })
}, 120_000)

test('a field named by long filters of 200 finished exports and their deliveries is renamed', async () => {
  const member = await aMember()
  const { pool } = portal.parts.database
  const query = longQuery('Phone', 1500)
  const actsAs = {
    holder: `identity ${await identityOf(portal, member)}`,
    account: member.account,
    call: 'createExport',
    request: { params: {}, query: {}, body: { exportFields: ['Phone'], aggregateQuery: query } },
  }
  const file = { maker: { actsAs }, expiresAt: '9999-12-31T00:00:00Z' }
  const schema = `account_${member.account}`
  await pool.query(
    `INSERT INTO ${schema}.exports (name, name_key, creator, created_at, status, delimiter, fields, filter, acts_as)
     SELECT n, n, 'ada@example.com', now(), 'completed', 'csv', '{Phone}', $1, $2 FROM generate_series(1, 200) AS n`,
    [query, JSON.stringify(actsAs)],
  )
  await pool.query(
    `INSERT INTO ${schema}.deliveries
       (id, subject_kind, subject_id, position, kind, settings, status, asked_by, created_at, file)
     SELECT gen_random_uuid(), 'export', n, 0, 'http', '{}', 'completed', 'job', now(), $1
     FROM generate_series(1, 200) AS n`,
    [JSON.stringify(file)],
  )
  expect(await member.put(await pathOf(member), { name: 'Mobile' })).toMatchObject({ status: 200 })
  const { rows } = await pool.query(
    `SELECT count(*) FILTER (WHERE concat(filter, acts_as) LIKE '%Phone%')::int AS exports,
       (SELECT count(*)::int FROM ${schema}.deliveries WHERE file::text LIKE '%Phone%') AS deliveries
     FROM ${schema}.exports`,
  )
  expect(rows).toEqual([{ exports: 0, deliveries: 0 }])
}, 120_000)

test('a filter whose field is written with escapes follows its new name', async () => {
  const member = await aMember()
  const query = String.raw`[{"$match":{"\u0050\u0068\u006f\u006e\u0065":"1"}}]`
  expect(await member.post(`${service}/rdls`, { name: 'Escaped', aggregateQuery: query })).toMatchObject({
    status: 201,
  })
  expect(await member.put(await pathOf(member), { name: 'Mobile' })).toMatchObject({ status: 200 })
  const texts = 'SELECT aggregate_query AS text FROM portico.saved_filters WHERE account_id = $1'
  expect(await countNaming(member, texts)).toEqual([{ text: '[{"$match":{"Mobile":"1"}}]' }])
})

test('filters that use a long one keep the columns of its groups', async () => {
  const member = await aMember()
  const values = JSON.parse(longQuery('Email')) as object[]
  const stages = [...values, { $group: { _id: { Phone: '$Phone' }, n: { $sum: 1 } } }]
  const inner = (
    await member.post(`${service}/rdls`, { name: 'Groups', aggregateQuery: JSON.stringify(stages) })
  ).json<{ _id: string }>()
  const outer = [{ $predefined: inner._id }, { $sort: { Phone: 1 } }]
  const saved = (await member.post(`${service}/rdls`, { name: 'Sorted', aggregateQuery: JSON.stringify(outer) })).json<{
    _id: string
  }>()
  expect(await member.put(await pathOf(member), { name: 'Mobile' })).toMatchObject({ status: 200 })
  const { body } = await member.get(`${service}/rdls/${saved._id}`)
  expect(body).toMatchObject({
    aggregateQuery: JSON.stringify([{ $predefined: inner._id }, { $sort: { Mobile: 1 } }]),
  })
})
