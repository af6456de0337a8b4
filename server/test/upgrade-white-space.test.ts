import type { NewImport } from '@portico/contract/imports'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrateAccount } from '#platform/migrations.ts'
import { contactsOf, importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { addAccess, readOffer, stranger } from '#test/resources/remote-accesses.ts'

// Upgrades an account of an earlier release, which stored letters with separate marks and cells of white space
// unchanged.

const settings: Partial<NewImport> = { dedupColumns: ['Name', 'Email'] }
const file = 'Name,Email,City\nZo\u00e9,zoe@x.org,Orl\u00e9ans\nAda,ada@x.org,\nBob,bob@x.org,Bern\n'

let portal: TestPortal
let member: Member
let schema: string

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  const account = await portal.account()
  schema = `account_${account}`
  member = await portal.member(account)
  await importFile(portal, member, file, settings)
  await addAccess(member, { domainOrIp: 'shop.example.com', filter: '{"Email":"{{Email}}"}', publicColumns: 'Name' })
  await makeEarlier()
  const client = new pg.Client({ connectionString: portal.parts.database.url })
  await client.connect()
  await migrateAccount(client, account)
  await client.end()
})
afterAll(() => portal.close())

async function makeEarlier(): Promise<void> {
  const { pool } = portal.parts.database
  const earlier = (column: string): string => `btrim(coalesce(${column}, ''), E' \\t\\r\\n\\u00a0')`
  await pool.query(
    `UPDATE ${schema}.contacts SET c1 = normalize(c1, NFD), c3 = normalize(coalesce(c3, E'\\u3000\\n'), NFD)`,
  )
  await pool.query(`UPDATE ${schema}.contacts SET c2 = E'ada@x.org\\u200b' WHERE c1 = 'Ada'`)
  await pool.query(
    `UPDATE ${schema}.contact_keys AS k SET dedup_hash = md5(lower(${earlier('c1')} || chr(31) || ${earlier('c2')}))::uuid
     FROM ${schema}.contacts AS c WHERE c.id = k.id`,
  )
  await pool.query(`DROP INDEX ${schema}.lookup_index_c2`)
  await pool.query(
    `CREATE INDEX lookup_index_c2 ON ${schema}.contacts ((md5(lower(btrim(c2, E' \\t\\r\\n\\u00a0')))::uuid))`,
  )
  await pool.query(
    `DELETE FROM ${schema}.migrations WHERE name LIKE '%-white-space.sql' OR name LIKE '%-composed-values.sql'`,
  )
}

test('letters are composed, and values of white space become empty', async () => {
  const contacts = (await contactsOf(member)).map(({ _id, Import: _import, ...values }) => values)
  expect(contacts).toEqual([
    { Name: 'Zo\u00e9', Email: 'zoe@x.org', City: 'Orl\u00e9ans' },
    { Name: 'Ada', Email: 'ada@x.org\u200b' },
    { Name: 'Bob', Email: 'bob@x.org', City: 'Bern' },
  ])
})

test('contacts are recognized as before', async () => {
  const done = await importFile(portal, member, file, settings)
  expect(done).toMatchObject({ createdRecords: 0, updatedRecords: 1, unchangedRecords: 2 })
})

test('callers are served by an index with the current rule', async () => {
  const caller = stranger(portal, 'https://shop.example.com')
  const read = readOffer(caller, member.account, { Email: ' ADA@x.org\u3000' })
  expect(await read).toMatchObject({ status: 200, body: { Name: 'Ada' } })
  const { rows } = await portal.parts.database.pool.query<{ indexdef: string }>(
    'SELECT indexdef FROM pg_indexes WHERE schemaname = $1 AND indexname = $2',
    [schema, 'lookup_index_c2'],
  )
  expect(rows[0]?.indexdef).toContain('\u3000\ufeff')
})
