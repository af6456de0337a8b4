import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'

// SQL fragments for statements of other modules that join an identity: only this file knows the table and its columns.

/** The table of identities under an alias, for FROM and JOIN. */
export const identitiesAs = (alias: string): string => `portico.identities ${alias}`

/** A subquery of the `id` of this identity if it is the account's (null: global); no row otherwise. */
export const identityOf = (account: AccountId | null, identity: string): RawBuilder<unknown> =>
  sql`(SELECT id FROM portico.identities WHERE id = ${identity} AND account_id IS NOT DISTINCT FROM ${account}::integer)`
