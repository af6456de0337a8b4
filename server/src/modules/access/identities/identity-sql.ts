import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'

// SQL fragments for statements of other modules that join an identity: only this file knows the table and its columns.

/** The table of identities under an alias, for FROM and JOIN. */
export const identitiesAs = (alias: string): string => `portico.identities ${alias}`

/** A subquery of the `id` of this identity if it is the account's (null: global); no row otherwise. */
export const identityOf = (account: AccountId | null, identity: string): RawBuilder<unknown> =>
  sql`(SELECT id FROM portico.identities WHERE id = ${identity} AND account_id IS NOT DISTINCT FROM ${account}::integer)`

/**
 * SQL: whether an identity of the person opens the account, which is joined as `account`: its own, one of the parent with
 * access to all sub-accounts, or a global one. Disabled identities open none; limits are ignored.
 */
export const hasIdentityIn = (person: string, account: string): string => `EXISTS (
  SELECT FROM portico.identities i
  WHERE i.person_id = ${person} AND NOT i.is_disabled AND (i.account_id IS NULL OR i.account_id = ${account}.id
    OR (i.account_id = ${account}.parent_id AND i.access_to_all_sub_accounts)))`

/** A subquery of the `id` of a person's own identity in an account; no row without one. */
export const ownIdentityOf = (account: AccountId, person: string): RawBuilder<unknown> =>
  sql`(SELECT id FROM portico.identities WHERE person_id = ${person} AND account_id = ${account}::integer)`
