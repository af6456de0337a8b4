import type { Dashboard } from '@portico/contract/dashboards'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '#platform/migrations.ts'
import { identityOf } from '#test/resources/access.ts'
import { addCron } from '#test/resources/crons.ts'
import { addIdentity, createDashboard } from '#test/resources/dashboards.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// A database of an earlier release records the person who saved a dashboard or a filter, and the identity of a cron.

let portal: TestPortal
/** Has an identity in the account, and one of its parent. */
let both: Member
/** Enter the account only by an identity of its parent, and by two of others. */
let above: Member
let several: Member

beforeAll(async () => {
  portal = await startPortal()
  const parent = await portal.account()
  const account = await portal.account(undefined, parent)
  both = await portal.member(account)
  await addIdentity(portal, both, parent, { withSubAccounts: true })
  above = await portal.member(account)
  several = await portal.member(account)
  for (const member of [above, several]) await addIdentity(portal, member, parent, { withSubAccounts: true })
})
afterAll(() => portal.close())

const query = async <T>(text: string, ...values: unknown[]): Promise<T[]> =>
  (await portal.parts.database.pool.query(text, values)).rows as T[]

async function makeEarlier(): Promise<void> {
  await query('ALTER TABLE portico.crons ADD COLUMN identity_id uuid REFERENCES portico.identities (id)')
  await query(`UPDATE portico.crons SET identity_id = split_part(holder, ' ', 2)::uuid`)
  for (const table of ['crons', 'dashboard_versions', 'saved_filters']) {
    await query(`ALTER TABLE portico.${table} DROP COLUMN holder`)
  }
  await query('ALTER TABLE portico.api_credentials DROP COLUMN id')
  await query('ALTER TABLE portico.mail_senders DROP COLUMN credential_id')
  await query(`DELETE FROM portico.migrations WHERE name = '0031-holders.sql'`)
}

test('an upgrade finds the single identity that saved an item, or none', async () => {
  const dashboards: Dashboard[] = []
  for (const member of [both, above, several]) dashboards.push(await createDashboard(member))
  const cron = await addCron(both)
  const saved = await both.post('/contact-service/v1/rdls', { name: 'All', aggregateQuery: '[]' })
  const before = await query<{ holder: string }>('SELECT holder FROM portico.crons WHERE id = $1', cron._id)
  // One of them loses the identity in the account, and one has two: of the account's parent and of all accounts.
  await query('DELETE FROM portico.identities WHERE id = ANY ($1)', [
    await identityOf(portal, above),
    await identityOf(portal, several),
  ])
  await query(
    `INSERT INTO portico.identities (id, person_id, account_id, accepted_at)
     SELECT gen_random_uuid(), id, NULL, now() FROM portico.persons WHERE email = $1`,
    several.email,
  )
  await makeEarlier()
  await migrate(portal.parts.database.url)

  const holderOf = async (table: string, column: string, id: string | undefined): Promise<string | null | undefined> =>
    (await query<{ holder: string | null }>(`SELECT holder FROM portico.${table} WHERE ${column} = $1`, id))[0]?.holder
  const person = async ({ email }: Member) =>
    (await query<{ id: string }>('SELECT id FROM portico.persons WHERE email = $1', email))[0]?.id
  const own = `identity ${await identityOf(portal, both)} ${await person(both)}`
  const [ofBoth, ofAbove, ofSeveral] = dashboards
  expect(await holderOf('dashboard_versions', 'dashboard_id', ofBoth?._id)).toBe(own)
  expect(await holderOf('saved_filters', 'id', saved.json<{ _id: string }>()._id)).toBe(own)
  expect(await holderOf('crons', 'id', cron._id)).toBe(before[0]?.holder)
  expect(before[0]?.holder).toBe(own)
  const [parent] = await query<{ id: string }>(
    'SELECT id FROM portico.identities WHERE person_id = $1',
    await person(above),
  )
  expect(await holderOf('dashboard_versions', 'dashboard_id', ofAbove?._id)).toBe(
    `identity ${parent?.id} ${await person(above)}`,
  )
  expect(await holderOf('dashboard_versions', 'dashboard_id', ofSeveral?._id)).toBeNull()
})
