import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'

/** Changes with the crons of an account and the state of their latest runs. */
export function schedulesMark(account: AccountId): RawBuilder<unknown> {
  return sql`(
    SELECT md5(concat(
      (SELECT concat(count(*), max(updated_at), max(terminated_at), max(paused_at), count(paused_at), max(next_due_at))
        FROM portico.crons WHERE account_id = ${account}),
      (SELECT string_agg(ROW(id, status, ready_at, ended_at, recovery_count, is_delivering)::text, ' ' ORDER BY id)
        FROM (SELECT * FROM portico.schedules WHERE account_id = ${account} ORDER BY id DESC LIMIT 100) latest))))`
}
