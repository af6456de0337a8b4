import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { accountTable } from '#platform/database.ts'
import { markOf } from '#platform/registration.ts'

/** Changes with the progress and the outcome of deletes. */
export function deletesMark(account: AccountId): RawBuilder<unknown> {
  return markOf(accountTable(account, 'deletes'), [
    sql.ref('status'),
    sql.ref('processed_records'),
    sql.ref('contents'),
    sql.ref('restore_status'),
    sql.ref('restore_activity_at'),
  ])
}
