import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { accountTable } from '#platform/database.ts'
import { markOf } from '#platform/registration.ts'

/** A value that changes with the progress and outcome of the account's deletes. */
export function deletesMark(account: AccountId): RawBuilder<unknown> {
  return markOf(accountTable(account, 'deletes'), [
    sql.ref('status'),
    sql.ref('processed_records'),
    sql.ref('contents'),
    sql.ref('restore_status'),
    sql.ref('restore_activity_at'),
  ])
}
