import { foldName } from '@portico/domain/names'
import type { Field } from '@portico/contract/contacts'
import type { Policy } from '@portico/contract/policies'
import type { SavedFilter } from '@portico/contract/saved-filters'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '#platform/migrations.ts'
import { makePolicy } from '#test/kit/administration.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons } from '#test/resources/crons.ts'
import { createExport, exportDraft, exportsPath } from '#test/resources/exports.ts'
import { contactsOf, submit } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// The database of an earlier release, in which names were unique by the database's `lower`. It has names that are equal
// now, and keeps working (ADR 0082).

const [first, second] = ['Prénom', 'Pre\u0301NOM']

let portal: TestPortal
let member: Member
let admin: Member
let schema: string

beforeAll(async () => {
  portal = await startPortal()
  const account = await portal.account('Ecole')
  schema = `account_${account}`
  member = await portal.member(account)
  admin = await portal.powerAdmin()
  await portal.account('Another school')
  for (const name of ['Name one', 'Name two']) {
    await makePolicy(admin, `Policy ${name}`)
    const filter = { name, aggregateQuery: '[{"$match":{"_id":"1"}}]', showInSubaccounts: false }
    await member.post('/contact-service/v1/rdls', filter)
    await addCron(member, { name })
    await createExport(member, exportDraft(['_id'], { name }))
    await submit(portal, member, 'First\nAda\n', { name })
  }
  await addContacts(portal.parts.database, account, { 'Name one': 'string', 'Name two': 'string' }, [
    { 'Name one': 'first', 'Name two': 'second' },
  ])
  await makeEarlier()
  await migrate(portal.parts.database.url)
  await query('UPDATE portico.accounts SET fields_version = fields_version + 1')
})
afterAll(() => portal.close())

const query = async (text: string, values: unknown[] = []) =>
  (await portal.parts.database.pool.query<Record<string, string>>(text, values)).rows

const keyed = ['accounts', 'policies', 'groups', 'saved_filters', 'crons'].map((table) => `portico.${table}`)

/** Undoes the migration, and gives two rows of each kind names that the earlier release distinguished. */
async function makeEarlier(): Promise<void> {
  const ofAccount = ['fields', 'imports', 'exports', 'indexes'].map((table) => `${schema}.${table}`)
  for (const table of [...keyed, ...ofAccount]) await query(`ALTER TABLE ${table} DROP COLUMN name_key`)
  await query('ALTER TABLE portico.identities DROP COLUMN service_name_key')
  await query(`CREATE UNIQUE INDEX accounts_name_key ON portico.accounts (lower(name))`)
  for (const table of ['policies', 'groups']) {
    await query(
      `CREATE UNIQUE INDEX ${table}_name_key ON portico.${table} (account_id, lower(name)) NULLS NOT DISTINCT`,
    )
  }
  await query('CREATE UNIQUE INDEX saved_filters_name_key ON portico.saved_filters (account_id, lower(name))')
  await query(
    `CREATE UNIQUE INDEX crons_name_key ON portico.crons (account_id, consumer, lower(name)) WHERE terminated_at IS NULL`,
  )
  await query('CREATE UNIQUE INDEX identities_service_name_key ON portico.identities (account_id, lower(service_name))')
  for (const table of ['fields', 'imports', 'exports', 'indexes']) {
    await query(`CREATE UNIQUE INDEX ${table}_name_key ON ${schema}.${table} (lower(name))`)
  }
  for (const table of ['portico.saved_filters', 'portico.crons', ...ofAccount]) {
    await query(
      `UPDATE ${table} SET name = CASE name WHEN 'Name one' THEN $1 ELSE $2 END WHERE name IN ('Name one', 'Name two')`,
      [first, second],
    )
  }
  await query(
    `UPDATE portico.policies SET name = CASE name WHEN 'Policy Name one' THEN $1 ELSE $2 END WHERE name LIKE 'Policy Name %'`,
    [first, second],
  )
  await query(
    `UPDATE portico.accounts SET name = CASE name WHEN 'Ecole' THEN 'École' ELSE $1 END
     WHERE name IN ('Ecole', 'Another school')`,
    ['E\u0301cole'],
  )
  await query(
    `INSERT INTO ${schema}.remote_accesses (type, domain_or_ip, include_sub_domains, authentication_columns,
       public_columns, creator, created_at, is_paused)
     VALUES ('domain', 'Shop.EXAMPLE.com:8443', false, '{_id}', '{City}', 'x', now(), false),
       ('ip', '203.0.113.7', false, '{_id}', '{City}', 'x', now(), false)`,
  )
  await query(
    `INSERT INTO ${schema}.host_keys (host, port, fingerprint, first_seen_at)
     VALUES ('sftp.example.com', 22, 'one', now()), ('127.1', 22, 'two', now()), ('127.0.0.1', 23, 'three', now()),
       ('127.1', 23, 'four', now())`,
  )
  await query(`DELETE FROM portico.migrations WHERE name = '0030-name-keys.sql'`)
  await query(`DELETE FROM ${schema}.migrations WHERE name = '0023-name-keys.sql'`)
  await query('UPDATE portico.accounts SET schema_version = NULL')
}

describe('after the upgrade', () => {
  test('every row has the key of its name, or a substitute', async () => {
    for (const table of [...keyed, `${schema}.fields`, `${schema}.imports`, `${schema}.exports`]) {
      const rows = await query(`SELECT name, name_key AS key FROM ${table}`)
      const others = rows.filter(({ name = '', key = '' }) => key !== foldName(name))
      expect([table, others.length]).toEqual([table, ['portico.groups'].includes(table) ? 0 : 1])
      for (const { key = '' } of others) expect(foldName(key)).not.toBe(key)
    }
  })

  test('both rows keep their names, and the audit log lists the later one', async () => {
    const names = async (path: string) => (await member.get(path)).json<{ name: string }[]>().map(({ name }) => name)
    for (const path of [
      '/contact-service/v1/rdls',
      exportsPath,
      '/contact-service/v1/imports',
      `${crons}/?consumerCode=EXPORT`,
    ]) {
      expect([path, (await names(path)).toSorted()]).toEqual([path, [first, second].toSorted()])
    }
    const entries = (await member.get('/identity/v1/audit?limit=100')).json<{ action: string; subject: string }[]>()
    const kinds = entries.filter(({ action }) => action.endsWith('has a name in use'))
    expect(kinds.map(({ action }) => action.replace(' has a name in use', '')).toSorted()).toEqual(
      ['cron', 'export', 'field', 'import', 'saved filter'].toSorted(),
    )
    expect(kinds).toContainEqual(
      expect.objectContaining({ subject: second, details: { sameNameAs: first }, via: 'portal' }),
    )
    const everywhere = await admin.get('/identity/v1/audit?limit=100&everywhere=true')
    const actions = everywhere.json<{ action: string }[]>().map(({ action }) => action)
    expect(actions).toEqual(expect.arrayContaining(['account has a name in use', 'policy has a name in use']))
  })

  test('both rows can be changed without a new name, and the name stays taken', async () => {
    const filters = (await member.get('/contact-service/v1/rdls')).json<SavedFilter[]>()
    for (const { _id, name } of filters) {
      const change = { name, aggregateQuery: '[{"$match":{"_id":"2"}}]', showInSubaccounts: false }
      expect(await member.put(`/contact-service/v1/rdls/${_id}`, change)).toMatchObject({ status: 200, body: { name } })
    }
    const policies = (await admin.get('/identity/v1/policies')).json<Policy[]>()
    for (const { _id, name } of policies.filter((policy) => foldName(policy.name) === foldName(first))) {
      const change = { name, actions: ['bi::dashboards::get'] }
      expect(await admin.put(`/identity/v1/policies/${_id}`, change)).toMatchObject({ status: 200, body: { name } })
    }
    const accounts = (await admin.get('/identity/v1/accounts/details')).json<{ Key: number; Value: string }[]>()
    for (const { Key, Value } of accounts.filter((account) => foldName(account.Value) === 'école')) {
      const change = { name: Value, timeZone: 'Europe/Paris' }
      expect(await admin.put(`/identity/v1/accounts/${Key}`, change)).toMatchObject({ status: 200 })
    }
    for (const { _id, name } of (await member.get(`${crons}/?consumerCode=EXPORT`)).json<
      { _id: string; name: string }[]
    >()) {
      const kept = (await member.get(`${crons}/${_id}`)).json<object>()
      const changed = await member.put(`${crons}/${_id}`, { ...kept, notificationEmails: 'b@x.example' })
      expect(changed).toMatchObject({ status: 200, body: { name } })
    }
    const taken = await member.post(exportsPath, exportDraft(['_id'], { name: 'prénom' }))
    expect(taken).toMatchObject({ status: 409, body: { error: { code: 'name_taken' } } })
  })

  test('a new name resolves the conflict and frees the old name', async () => {
    const filters = (await member.get('/contact-service/v1/rdls')).json<SavedFilter[]>()
    const later = filters.find(({ name }) => name === second)
    const change = { name: 'A new name', aggregateQuery: '[{"$match":{"_id":"2"}}]', showInSubaccounts: false }
    const path = `/contact-service/v1/rdls/${later?._id}`
    expect(await member.put(path, change)).toMatchObject({ status: 200 })
    const taken = await member.put(path, { ...change, name: second })
    expect(taken).toMatchObject({ status: 409 })
  })

  test('both fields are found by their own names', async () => {
    const fields = (await member.get('/contact-service/v1/fields')).json<Field[]>()
    expect(fields.map(({ name }) => name)).toEqual(expect.arrayContaining([first, second]))
    const [contact] = await contactsOf(member)
    expect(contact).toMatchObject({ [first]: 'first', [second]: 'second' })
    const find = (name: string, value: string) =>
      member.get(
        `/contact-service/v1/offers?find=${encodeURIComponent(JSON.stringify([{ $match: { [name]: value } }]))}`,
      )
    expect((await find(first, 'first')).json<object[]>()).toHaveLength(1)
    expect((await find(second, 'second')).json<object[]>()).toHaveLength(1)
    expect((await find('prénom', 'second')).json<object[]>()).toHaveLength(0)
    const grouped = await member.get(
      `/contact-service/v1/offers?aggregate=${encodeURIComponent(JSON.stringify([{ $group: { _id: `$${second}` } }]))}`,
    )
    expect(grouped.body).toEqual([{ _id: 'second' }])
  })
})

test('hosts of remote accesses and of pinned keys are normalized', async () => {
  const accesses = (await member.get('/contact-service/v1/remoteAccess')).json<{ domainOrIp: string }[]>()
  expect(accesses.map(({ domainOrIp }) => domainOrIp).toSorted()).toEqual(['203.0.113.7', 'shop.example.com:8443'])
  const keys = await query(`SELECT host, port, fingerprint FROM ${schema}.host_keys ORDER BY port, host`)
  expect(keys).toMatchObject([
    { host: '127.0.0.1', port: 22, fingerprint: 'two' },
    { host: 'sftp.example.com', port: 22, fingerprint: 'one' },
    { host: '127.0.0.1', port: 23, fingerprint: 'three' },
    { host: '127.1', port: 23, fingerprint: 'four' },
  ])
})

test('a process of the previous release can still add rows', async () => {
  const client = new pg.Client({ connectionString: portal.parts.database.url })
  await client.connect()
  await client.query('INSERT INTO portico.groups (id, name) VALUES (gen_random_uuid(), $1)', ['Of the release before'])
  await client.end()
  const groups = (await admin.get('/identity/v1/groups')).json<{ name: string }[]>()
  expect(groups.map(({ name }) => name)).toContain('Of the release before')
})
