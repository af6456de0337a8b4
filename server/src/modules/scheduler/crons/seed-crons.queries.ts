import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import type { Db } from '#platform/database.ts'
import type { Omission, StoredAttempt } from '../tables.ts'

/** A finished run of a cron. Times in ms. */
export type EndedRun = {
  cronId: string
  dueAt: number
  sequence: number
  status: 'completed' | 'terminated'
  endedAt: number
  /** Empty if it did not run at all. */
  attempts: StoredAttempt[]
  records: number | null
  comment: string | null
  omission: Omission | null
}

export async function insertEndedRuns(db: Db, account: AccountId, runs: readonly EndedRun[]): Promise<void> {
  await sql`
    INSERT INTO portico.schedules (account_id, cron_id, consumer, due_at, sequence, status, started_at, ended_at,
      recovery_count, processed_records, comment, omission, attempts)
    SELECT ${account}::integer, r."cronId", c.consumer, to_timestamp(r."dueAt" / 1000.0), r.sequence, r.status,
      (r.attempts -> 0 ->> 'startedAt')::timestamptz, to_timestamp(r."endedAt" / 1000.0),
      greatest(0, jsonb_array_length(r.attempts) - 1), r.records, r.comment, r.omission, r.attempts
    FROM jsonb_to_recordset(${JSON.stringify(runs)}::jsonb) AS r("cronId" uuid, "dueAt" float8, sequence integer,
      status text, "endedAt" float8, records bigint, comment text, omission text, attempts jsonb)
    JOIN portico.crons c ON c.id = r."cronId" AND c.account_id = ${account}`.execute(db)
}
