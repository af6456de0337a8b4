import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { accountTable } from '#platform/database.ts'
import type { Subject } from './deliveries.queries.ts'

/** A scalar subquery for the change mark of a list: the state of the deliveries of one subject, null if it has none. */
export function deliveriesMark(
  account: AccountId,
  kind: Subject['kind'],
  subjectId: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const state = sql`ROW(d.position, d.status, d.recovery_count, d.attempt_count, d.next_attempt_at)::text`
  return sql`(SELECT string_agg(${state}, ' ' ORDER BY d.position) FROM ${accountTable(account, 'deliveries')} AS d
    WHERE d.subject_kind = ${kind} AND d.subject_id = ${subjectId})`
}
