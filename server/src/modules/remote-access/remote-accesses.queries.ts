import type { AccountId } from '@portico/contract/accounts'
import type { Insertable, Transaction, Updateable } from 'kysely'
import type { ListedTable } from '#filters'
import { type Db, inAccount } from '#platform/database.ts'
import { withLock } from '#platform/waits/locks.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'
import type { RemoteAccessRow, RemoteAccessTable, Tables } from './tables.ts'

/** Remote accesses as a table that can be filtered and sorted. */
export const listedAccesses: ListedTable = {
  name: 'remote_accesses',
  fields: {
    _id: { column: 'id', type: 'id' },
    type: { column: 'type', type: 'string' },
    domainOrIp: { column: 'domain_or_ip', type: 'string' },
    includeSubDomains: { column: 'include_sub_domains', type: 'boolean' },
    creationDate: { column: 'created_at', type: 'date' },
    creator: { column: 'creator', type: 'string' },
    isPaused: { column: 'is_paused', type: 'boolean' },
    expiresAt: { column: 'expires_at', type: 'date' },
    lastUsedAt: { column: 'last_used_at', type: 'date' },
  },
}

/** All remote accesses of an account, oldest first. */
export async function selectAccesses(db: Db, account: AccountId): Promise<RemoteAccessRow[]> {
  return inAccount<Tables>(db, account).selectFrom('remote_accesses').selectAll().orderBy('id').execute()
}

export async function selectAccess(db: Db, account: AccountId, id: string): Promise<RemoteAccessRow | undefined> {
  return inAccount<Tables>(db, account)
    .selectFrom('remote_accesses')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
}

/**
 * Changes an account's accesses, one change at a time: they share indexes.
 * @throws unavailable
 */
export function withAccessesLocked<T>(
  db: Db,
  account: AccountId,
  work: (tx: Transaction<object>) => Promise<T>,
): Promise<T> {
  return withLock(db, accountLock('remoteAccesses', account), work)
}

export async function insertAccess(
  db: Db,
  account: AccountId,
  row: Insertable<RemoteAccessTable>,
): Promise<RemoteAccessRow> {
  return inAccount<Tables>(db, account)
    .insertInto('remote_accesses')
    .values(row)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Undefined if it does not exist, or no longer does. */
export async function updateAccess(
  db: Db,
  account: AccountId,
  id: string,
  change: Updateable<RemoteAccessTable>,
): Promise<RemoteAccessRow | undefined> {
  return inAccount<Tables>(db, account)
    .updateTable('remote_accesses')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** Deletes an access with its figures; undefined if it does not exist, or no longer does. Call in a transaction. */
export async function deleteAccess(db: Db, account: AccountId, id: string): Promise<RemoteAccessRow | undefined> {
  const tables = inAccount<Tables>(db, account)
  await tables.deleteFrom('remote_access_days').where('access_id', '=', id).execute()
  await tables.deleteFrom('remote_access_origins').where('access_id', '=', id).execute()
  return tables.deleteFrom('remote_accesses').where('id', '=', id).returningAll().executeTakeFirst()
}
