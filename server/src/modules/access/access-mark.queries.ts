import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { accountsAs } from '#accounts'
import { accessChangesMark } from '#audit'

/** Changes with rights in the account, by its own policies and identities, those of its parent, and global ones. */
export function accessMark(account: AccountId): RawBuilder<unknown> {
  const parent = sql`(SELECT parent_id FROM ${sql.raw(accountsAs('own'))} WHERE own.id = ${account})`
  const marks = [accessChangesMark(sql`${account}::integer`), accessChangesMark(parent), accessChangesMark(null)]
  return sql`concat_ws(' ', ${sql.join(marks)})`
}
