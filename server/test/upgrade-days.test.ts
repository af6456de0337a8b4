import type { Field } from '@portico/contract/contacts'
import type { NewImport } from '@portico/contract/imports'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrateAccount } from '#platform/migrations.ts'
import { contactsOf, importFile } from '#test/resources/imports.ts'
import { createIndex, settledIndex } from '#test/resources/indexes.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { addAccess, readOffer, stranger } from '#test/resources/remote-accesses.ts'

// Upgrades an account of an earlier release, which stored days as midnights of the account.

const settings: Partial<NewImport> = { typeCasting: true, dedupColumns: ['Name', 'Born'] }
const file = 'Name,Born,Seen,Left\nAda,2024-04-25,2024-04-25 10:00,\nBob,2024-12-25,2024-12-25,\nCleo,,,\n'
const midnights = `((%)::timestamp AT TIME ZONE 'Europe/Zurich')`

let portal: TestPortal
let member: Member
let schema: string

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  const account = await portal.account()
  schema = `account_${account}`
  const { pool } = portal.parts.database
  await pool.query(`UPDATE portico.accounts SET time_zone = 'Europe/Zurich' WHERE id = $1`, [account])
  member = await portal.member(account)
  await importFile(portal, member, file, settings)
  await createIndex(member, [['Born', -1]], { name: 'cIndex_born' })
  await settledIndex(member, 'cIndex_born')
  const filter = '{"Born":"{{Born}}","Name":"{{Name}}"}'
  await addAccess(member, { domainOrIp: 'shop.example.com', filter, publicColumns: 'Name Born' })
  await makeEarlier()
  const client = new pg.Client({ connectionString: portal.parts.database.url })
  await client.connect()
  await migrateAccount(client, account)
  await client.end()
  await pool.query('UPDATE portico.accounts SET fields_version = fields_version + 1 WHERE id = $1', [account])
})
afterAll(() => portal.close())

/** Restores the state of the earlier release: days as moments, also in hashes and indexes. */
async function makeEarlier(): Promise<void> {
  const { pool } = portal.parts.database
  const text = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  await pool.query(`DROP INDEX ${schema}.lookup_index_c1_c2`)
  await pool.query(
    `ALTER TABLE ${schema}.contacts ALTER COLUMN c2 TYPE timestamptz USING ${midnights.replace('%', 'c2')},
       ALTER COLUMN c4 TYPE timestamptz USING c4::timestamptz`,
  )
  await pool.query(`UPDATE ${schema}.fields SET type = 'date' WHERE name IN ('Born', 'Left')`)
  await pool.query(`UPDATE ${schema}.indexes SET built_for = replace(built_for, 'day', 'date')`)
  await pool.query(
    `CREATE INDEX lookup_index_c1_c2 ON ${schema}.contacts ((md5(lower(btrim(c1, E' \\t\\r\\n\\u00a0') || chr(31)
       || btrim(extract(epoch FROM (c2) AT TIME ZONE 'UTC')::text, E' \\t\\r\\n\\u00a0')))::uuid))`,
  )
  await pool.query(
    `UPDATE ${schema}.contact_keys AS k SET dedup_hash = earlier.hash
     FROM (
       SELECT id, md5(lower(btrim(coalesce(c1, '')) || chr(31) || coalesce(${text('c2')}, '')))::uuid AS hash
       FROM ${schema}.contacts OFFSET 0
     ) AS earlier
     WHERE earlier.id = k.id`,
  )
  await pool.query(`DELETE FROM ${schema}.migrations WHERE name = '0022-days.sql'`)
}

test('fields with only midnights become fields of days', async () => {
  const fields = (await member.get('/contact-service/v1/fields')).json<Field[]>()
  expect(fields.map(({ name, type }) => [name, type])).toEqual([
    ['Name', 'string'],
    ['Born', 'day'],
    // One value has a time.
    ['Seen', 'date'],
    // No value shows whether it has a time.
    ['Left', 'date'],
  ])
  expect((await contactsOf(member)).map(({ Born, Seen }) => [Born, Seen])).toEqual([
    ['2024-04-25', '2024-04-25T08:00:00.000Z'],
    ['2024-12-25', '2024-12-24T23:00:00.000Z'],
    [undefined, undefined],
  ])
})

test('indexes of fields of days are ready', async () => {
  expect(await settledIndex(member, 'cIndex_born')).toMatchObject({ state: 'ready' })
  const { rows } = await portal.parts.database.pool.query<{ kind: string; built_for: string }>(
    `SELECT kind, built_for FROM ${schema}.indexes ORDER BY kind`,
  )
  expect(rows).toEqual([
    { kind: 'field', built_for: 'day' },
    { kind: 'lookup', built_for: 'string,day' },
  ])
  const caller = stranger(portal, 'https://shop.example.com')
  for (const Born of ['2024-04-25', '4/25/2024', '2024-04-24T22:00:00.000Z']) {
    expect(await readOffer(caller, member.account, { Name: 'ada', Born })).toMatchObject({
      status: 200,
      body: { Name: 'Ada', Born: '2024-04-25' },
    })
  }
  expect(await readOffer(caller, member.account, { Name: 'ada', Born: '2024-04-24' })).toMatchObject({ status: 404 })
})

test('contacts are recognized by fields of days as before', async () => {
  expect(await importFile(portal, member, file, settings)).toMatchObject({ createdRecords: 0, unchangedRecords: 3 })
})
