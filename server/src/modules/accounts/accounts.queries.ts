import type { AccountEntry, AccountId } from '@portico/contract/accounts'
import { foldName } from '@portico/domain/names'
import { type SelectQueryBuilder, sql } from 'kysely'
import { control, type Db, isUniqueViolation } from '#platform/database.ts'
import { changedNameColumns, nameColumns } from '#platform/name-columns.ts'
import type { VersionRow } from '#platform/rows/versions.ts'
import type { Tables } from './tables.ts'

// Every query except `selectUnfinished` omits accounts that are still being created (ADR 0072).

export type AccountRow = { id: AccountId; name: string; parentId: AccountId | null; timeZone: string }

export type AccountDetails = AccountRow & {
  version: number
  parentName: string | null
  suspendedAt: Date | null
  createdAt: Date
}

export async function selectAccount(db: Db, account: AccountId): Promise<AccountRow | null> {
  const row = await control<Tables>(db)
    .selectFrom('accounts')
    .select(['id', 'name', 'parent_id as parentId', 'time_zone as timeZone'])
    .where('id', '=', account)
    .where('schema_version', 'is not', null)
    .executeTakeFirst()
  return row ?? null
}

/** The account whose creation under this name, ignoring letter case, was interrupted. */
export async function selectUnfinished(db: Db, name: string): Promise<AccountId | null> {
  const row = await control<Tables>(db)
    .selectFrom('accounts')
    .select('id')
    .where('name_key', '=', foldName(name))
    .where('schema_version', 'is', null)
    .executeTakeFirst()
  return row?.id ?? null
}

export async function selectAccounts(db: Db): Promise<AccountEntry[]> {
  return control<Tables>(db)
    .selectFrom('accounts')
    .select(['id as Key', 'name as Value'])
    .where('schema_version', 'is not', null)
    .execute()
}

/** Names of all accounts other than this one and those with the same main account. */
export async function selectUnrelatedNames(db: Db, account: AccountId): Promise<string[]> {
  const rows = await control<Tables>(db)
    .selectFrom('accounts as other')
    .innerJoin('accounts as own', (on) => on.on('own.id', '=', account))
    .select('other.name')
    .where('other.schema_version', 'is not', null)
    .where(sql<boolean>`coalesce(other.parent_id, other.id) <> coalesce(own.parent_id, own.id)`)
    .execute()
  return rows.map(({ name }) => name)
}

/** The account, or (null) all accounts. */
export async function selectAccountDetails(db: Db, account: AccountId | null): Promise<AccountDetails[]> {
  const details = control<Tables>(db)
    .selectFrom('accounts as a')
    .leftJoin('accounts as parent', 'parent.id', 'a.parent_id')
    .select(['a.id', 'a.version', 'a.name', 'a.parent_id as parentId', 'a.time_zone as timeZone'])
    .select(['parent.name as parentName', 'a.suspended_at as suspendedAt', 'a.created_at as createdAt'])
    .where('a.schema_version', 'is not', null)
  return (account === null ? details : details.where('a.id', '=', account)).execute()
}

/** Locks an account until the end of the transaction, to change its name, time zone or suspension. */
export async function lockAccount(db: Db, account: AccountId): Promise<VersionRow | undefined> {
  return control<Tables>(db)
    .selectFrom('accounts')
    .select(['version', 'saves'])
    .where('id', '=', account)
    .where('schema_version', 'is not', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** The id of the account's parent, as a subquery for statements of other modules. */
export function parentOf(
  db: Db,
  account: AccountId,
): SelectQueryBuilder<Tables, 'accounts', { parent_id: AccountId | null }> {
  return control<Tables>(db).selectFrom('accounts').select('parent_id').where('id', '=', account)
}

/** Returns the top account of a family: the parent, or the account itself. */
export async function familyOfAccount(db: Db, account: AccountId): Promise<AccountId> {
  return (await parentOf(db, account).executeTakeFirst())?.parent_id ?? account
}

/** Returns the new account's id, or null if the name is taken. */
export async function insertAccount(
  db: Db,
  account: { name: string; parent: AccountId | null; timeZone: string },
): Promise<AccountId | null> {
  const row = await control<Tables>(db)
    .insertInto('accounts')
    .values({ ...nameColumns(account.name), parent_id: account.parent, time_zone: account.timeZone })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id ?? null
}

/** Returns false, and changes nothing, if another account has the name. */
export async function updateAccount(
  db: Db,
  { id, name: before }: Pick<AccountDetails, 'id' | 'name'>,
  { name, timeZone, suspendedAt }: Pick<AccountDetails, 'name' | 'timeZone' | 'suspendedAt'>,
  next: { version: number; saves: string },
): Promise<boolean> {
  try {
    await control<Tables>(db)
      .updateTable('accounts')
      .set({ ...changedNameColumns(name, before), time_zone: timeZone, suspended_at: suspendedAt, ...next })
      .where('id', '=', id)
      .execute()
    return true
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}

/**
 * Must be called after every commit of imported or deleted contacts or events, outside any transaction that other jobs
 * wait for.
 */
export async function countUpContactsVersion(db: Db, account: AccountId): Promise<void> {
  await control<Tables>(db)
    .updateTable('accounts')
    .set((eb) => ({ contacts_version: eb('contacts_version', '+', '1') }))
    .where('id', '=', account)
    .execute()
}

/** Must be called with every change of the account's remote accesses or of their indexes, in its transaction. */
export async function countUpRemoteAccessVersion(db: Db, account: AccountId): Promise<void> {
  await control<Tables>(db)
    .updateTable('accounts')
    .set((eb) => ({ remote_access_version: eb('remote_access_version', '+', 1) }))
    .where('id', '=', account)
    .execute()
}

/** Sets the time until which single events may arrive. */
export async function updateEventsUntil(db: Db, account: AccountId, until: Date): Promise<void> {
  await control<Tables>(db).updateTable('accounts').set({ events_until: until }).where('id', '=', account).execute()
}

/** Must be called with every change of the account's field catalog, in its transaction. */
export async function countUpFieldsVersion(db: Db, account: AccountId): Promise<void> {
  await control<Tables>(db)
    .updateTable('accounts')
    .set((eb) => ({ fields_version: eb('fields_version', '+', 1) }))
    .where('id', '=', account)
    .execute()
}
