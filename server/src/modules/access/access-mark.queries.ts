import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { accountsAs } from '#accounts'
import { accessChangesMark } from '#audit'

/**
 * Mark that changes whenever rights in the account change: its own policies and identities, its parent's, or global
 * ones.
 */
export function accessMark(account: AccountId): RawBuilder<unknown> {
  const parent = sql`(SELECT parent_id FROM ${sql.raw(accountsAs('own'))} WHERE own.id = ${account})`
  const marks = [accessChangesMark(sql`${account}::integer`), accessChangesMark(parent), accessChangesMark(null)]
  return sql`concat_ws(' ', ${sql.join(marks)})`
}
