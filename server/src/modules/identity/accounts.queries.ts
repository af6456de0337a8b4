import type { AccountEntry, AccountId } from '@portico/contract/identity'
import { type Generated, sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'

type AccountTables = {
  accounts: { id: Generated<AccountId>; name: string; parent_id: AccountId | null; time_zone: string }
  identities: {
    person_id: string
    account_id: AccountId | null
    is_disabled: boolean
    access_to_all_sub_accounts: boolean
  }
}

export type AccountRow = { id: AccountId; name: string; parentId: AccountId | null; timeZone: string }

export async function selectAccount(db: Db, account: AccountId): Promise<AccountRow | null> {
  const row = await control<AccountTables>(db)
    .selectFrom('accounts')
    .select(['id', 'name', 'parent_id as parentId', 'time_zone as timeZone'])
    .where('id', '=', account)
    .executeTakeFirst()
  return row ?? null
}

/** The account of this name, in whatever letter case. */
export async function selectAccountByName(db: Db, name: string): Promise<AccountRow | null> {
  const row = await control<AccountTables>(db)
    .selectFrom('accounts')
    .select(['id', 'name', 'parent_id as parentId', 'time_zone as timeZone'])
    .where(sql<string>`lower(name)`, '=', sql<string>`lower(${name})`)
    .executeTakeFirst()
  return row ?? null
}

export async function selectAccounts(db: Db): Promise<AccountEntry[]> {
  return control<AccountTables>(db).selectFrom('accounts').select(['id as Key', 'name as Value']).execute()
}

/** Accounts that a person has an identity in, and the sub-accounts where one gives access to all of these. */
export async function selectAccountsOf(db: Db, personId: string): Promise<AccountEntry[]> {
  return control<AccountTables>(db)
    .selectFrom('accounts as a')
    .innerJoin('identities as i', (join) =>
      join.on((on) =>
        on.or([
          on('i.account_id', '=', on.ref('a.id')),
          on.and([on('i.account_id', '=', on.ref('a.parent_id')), on('i.access_to_all_sub_accounts', '=', true)]),
        ]),
      ),
    )
    .select(['a.id as Key', 'a.name as Value'])
    .distinct()
    .where('i.person_id', '=', personId)
    .where('i.is_disabled', '=', false)
    .execute()
}

/** Answers the new account's id, or null when an account has the name already. */
export async function insertAccount(
  db: Db,
  account: { name: string; parent: AccountId | null; timeZone: string },
): Promise<AccountId | null> {
  const row = await control<AccountTables>(db)
    .insertInto('accounts')
    .values({ name: account.name, parent_id: account.parent, time_zone: account.timeZone })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id ?? null
}
