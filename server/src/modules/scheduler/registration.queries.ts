import type { AccountId } from '@portico/contract/accounts'
import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/database.ts'

/** A value that changes with the crons of an account and the state of their latest runs. */
export function schedulesMark(account: AccountId): RawBuilder<unknown> {
  return sql`(
    SELECT md5(concat(
      (SELECT concat(count(*), max(updated_at), max(terminated_at), max(paused_at), count(paused_at), max(next_due_at))
        FROM portico.crons WHERE account_id = ${account}),
      (SELECT string_agg(ROW(id, status, ready_at, ended_at, recovery_count, is_delivering, is_undelivered)::text, ' ' ORDER BY id)
        FROM (SELECT * FROM portico.schedules WHERE account_id = ${account} ORDER BY id DESC LIMIT 100) latest))))`
}

/** Runs of one cron that did not start and ended at the same moment: missed runs are found together. */
export type FailedRuns = {
  id: string
  name: string
  author: string
  comment: string | null
  count: number
  ended_at: Date
  due_at: Date
}

/** Selects the latest runs that did not start. Runs that started are shown with their job. */
export async function selectFailedRuns(
  db: Db,
  account: AccountId,
  consumer: ConsumerCode,
  { limit, skip }: { limit: number; skip: number },
): Promise<FailedRuns[]> {
  const { rows } = await sql<FailedRuns>`
    SELECT failed.*, c.name, c.author, s.comment, s.due_at
    FROM (
      SELECT max(id) AS id, cron_id, ended_at, count(*)::integer AS count FROM portico.schedules
      WHERE account_id = ${account} AND consumer = ${consumer} AND status = 'terminated' AND job_id IS NULL
        AND omission IS DISTINCT FROM 'skipped'
      GROUP BY cron_id, ended_at ORDER BY ended_at DESC LIMIT ${limit} OFFSET ${skip}
    ) failed
    JOIN portico.schedules s ON s.id = failed.id JOIN portico.crons c ON c.id = failed.cron_id
    ORDER BY failed.ended_at DESC`.execute(db)
  return rows
}
