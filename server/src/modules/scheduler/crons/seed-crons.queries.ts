import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { ownIdentityOf } from '#access'
import type { Db } from '#platform/database.ts'
import type { Omission } from '../tables.ts'

/** A run of a cron that has ended. Times in ms. */
export type EndedRun = {
  cronId: string
  dueAt: number
  sequence: number
  status: 'completed' | 'terminated'
  seconds: number
  records: number | null
  comment: string | null
  omission: Omission | null
}

/** Lets a cron run with the rights of a person's identity in the account. */
export async function updateCronIdentity(db: Db, account: AccountId, cronId: string, personId: string): Promise<void> {
  await sql`
    UPDATE portico.crons SET identity_id = ${ownIdentityOf(account, personId)}
    WHERE account_id = ${account} AND id = ${cronId}`.execute(db)
}

export async function insertEndedRuns(db: Db, account: AccountId, runs: readonly EndedRun[]): Promise<void> {
  await sql`
    INSERT INTO portico.schedules (account_id, cron_id, consumer, due_at, sequence, status, started_at, ended_at,
      processed_records, comment, omission, attempts)
    SELECT ${account}::integer, r."cronId", c.consumer, due.at, r.sequence, r.status,
      CASE WHEN r.omission IS NULL THEN due.at END, due.at + r.seconds * interval '1 second', r.records, r.comment,
      r.omission,
      CASE WHEN r.omission IS NULL THEN jsonb_build_array(jsonb_build_object('startedAt', due.at, 'endedAt',
        due.at + r.seconds * interval '1 second', 'status', r.status, 'processedRecords', r.records, 'error', r.comment))
        ELSE '[]' END
    FROM jsonb_to_recordset(${JSON.stringify(runs)}::jsonb) AS r("cronId" uuid, "dueAt" float8, sequence integer,
      status text, seconds integer, records bigint, comment text, omission text)
    JOIN portico.crons c ON c.id = r."cronId" AND c.account_id = ${account}
    CROSS JOIN LATERAL (SELECT to_timestamp(r."dueAt" / 1000.0) AS at) due`.execute(db)
}
