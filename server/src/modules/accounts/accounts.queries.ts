import type { Day, LimitEffect } from '@portico/contract/identities'
import type { AccountEntry, AccountId } from '@portico/contract/identity'
import { type Generated, sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'
import type { Limits } from '#access'

type AccountTables = {
  accounts: {
    id: Generated<AccountId>
    name: string
    parent_id: AccountId | null
    time_zone: string
    fields_version: Generated<number>
    suspended_at: Date | null
  }
  identities: {
    id: string
    person_id: string
    account_id: AccountId | null
    is_disabled: boolean
    access_to_all_sub_accounts: boolean
    days: Day[]
    days_effect: LimitEffect | null
    hours: number[]
    hours_effect: LimitEffect | null
    cidr: string | null
  }
  identity_groups: { identity_id: string; group_id: string }
  groups: { id: string; is_admin: boolean }
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

/** To be called with every change of the account's catalogue of fields, in its transaction. */
export async function countUpFieldsVersion(db: Db, account: AccountId): Promise<void> {
  await control<AccountTables>(db)
    .updateTable('accounts')
    .set((eb) => ({ fields_version: eb('fields_version', '+', 1) }))
    .where('id', '=', account)
    .execute()
}

export async function selectAccounts(db: Db): Promise<AccountEntry[]> {
  return control<AccountTables>(db).selectFrom('accounts').select(['id as Key', 'name as Value']).execute()
}

/** One account that an identity leads into, and the limits within which it does. */
export type AccountWay = Limits & {
  id: AccountId
  name: string
  timeZone: string
  isSuspended: boolean
  identityId: string
  /** The identity's account; null for a global one. */
  identityAccount: AccountId | null
  /** Belongs to a group of administrators. */
  isAdmin: boolean
}

/**
 * The ways of a person into accounts: an identity there, one in the parent with access to all sub-accounts, or a global
 * one. Disabled identities lead nowhere.
 */
export async function selectAccountWays(db: Db, personId: string): Promise<AccountWay[]> {
  return control<AccountTables>(db)
    .selectFrom('accounts as a')
    .innerJoin('identities as i', (join) =>
      join.on((on) =>
        on.or([
          on('i.account_id', 'is', null),
          on('i.account_id', '=', on.ref('a.id')),
          on.and([on('i.account_id', '=', on.ref('a.parent_id')), on('i.access_to_all_sub_accounts', '=', true)]),
        ]),
      ),
    )
    .select(['a.id', 'a.name', 'a.time_zone as timeZone', 'i.id as identityId', 'i.account_id as identityAccount'])
    .select(['i.days', 'i.days_effect as daysEffect', 'i.hours', 'i.hours_effect as hoursEffect', 'i.cidr'])
    .select((select) => [
      select('a.suspended_at', 'is not', null).$castTo<boolean>().as('isSuspended'),
      select
        .exists(
          select
            .selectFrom('identity_groups as ig')
            .innerJoin('groups as g', 'g.id', 'ig.group_id')
            .select('g.id')
            .whereRef('ig.identity_id', '=', 'i.id')
            .where('g.is_admin', '=', true),
        )
        // An EXISTS is a boolean; Kysely leaves open which databases know these.
        .$castTo<boolean>()
        .as('isAdmin'),
    ])
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
