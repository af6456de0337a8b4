import type { AccountId } from '@portico/contract/accounts'
import type pg from 'pg'
import { portal } from '#accounts'
import { recordAudit } from '#audit'
import { accountSchema, type Database, queriesOn, withConnection } from '#platform/database.ts'
import { createAccountSchema, markWhole } from '#platform/migrations.ts'
import { nameColumns } from '#platform/name-columns.ts'
import { portalLock } from '#platform/waits/lock-keys.ts'

// Creating the 170 tables, indexes and sequences of an account takes 0.2 s of a processor; copying them with the
// template of the databases takes 10 ms. Nine of ten test files create fewer accounts.
const spares = 16

// The portal does not know schemas of this name.
const spareSchema = (account: AccountId): string => `spare_${account}`

/** Prepares the schemas of the first accounts in the template of the test databases. */
export async function addSpareSchemas(client: pg.Client): Promise<void> {
  for (let account = 1; account <= spares; account++) {
    await client.query('BEGIN')
    await createAccountSchema(client, account)
    await client.query(`ALTER SCHEMA ${accountSchema(account)} RENAME TO ${spareSchema(account)}`)
    await client.query('COMMIT')
  }
}

/**
 * Creates an account as `createAccount` does, but renames a spare schema if the template has one for it, and uses a
 * connection that is open already. A test compares both ways.
 */
export async function createTestAccount(
  database: Database,
  account: { name: string; parent: AccountId | null },
): Promise<AccountId> {
  return withConnection(database, async ({ client }) => {
    await client.query('BEGIN')
    const id = await insertAccount(client, account)
    if (await hasSpare(client, id)) {
      await client.query(`ALTER SCHEMA ${spareSchema(id)} RENAME TO ${accountSchema(id)}`)
    } else {
      await client.query('SELECT pg_advisory_xact_lock($1)', [portalLock('migration')])
      await createAccountSchema(client, id)
    }
    const details = { parent: account.parent, timeZone: 'UTC' }
    const entry = { ...portal, account: id, action: 'account created', subject: account.name, details } as const
    await recordAudit(queriesOn(client), entry)
    await client.query('COMMIT')
    await markWhole(client, id)
    return id
  })
}

async function insertAccount(
  client: pg.PoolClient,
  account: { name: string; parent: AccountId | null },
): Promise<AccountId> {
  const { name, name_key: key } = nameColumns(account.name)
  const { rows } = await client.query<{ id: AccountId }>(
    'INSERT INTO portico.accounts (name, name_key, parent_id) VALUES ($1, $2, $3) RETURNING id',
    [name, key, account.parent],
  )
  return rows[0]!.id
}

async function hasSpare(client: pg.PoolClient, account: AccountId): Promise<boolean> {
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [spareSchema(account)])
  return rowCount === 1
}
