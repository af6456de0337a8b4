import type { AccountId } from '@portico/contract/accounts'
import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import type { ScheduleStatus } from '@portico/contract/scheduler/schedules'
import type { ColumnType, Generated, JSONColumnType, Selectable } from 'kysely'
import type { VersionColumns } from '#platform/rows/versions.ts'

/** The SFTP server that files are sent to, without its password. */
export type Transfer = { protocol: 'sftp'; host: string; folder: string; port: number | null; user: string }

type CronTable = VersionColumns & {
  id: string
  account_id: AccountId
  consumer: ConsumerCode
  name: string
  /** `foldName` of the name, by which it is unique among the active crons of its consumer. */
  name_key: string
  emails: string
  expression: string
  zone: string
  starts: string
  ends: string | null
  repeats: number | null
  instruction: JSONColumnType<Record<string, unknown>>
  /** Ids of the saved filters that the instruction names. */
  named_filters: Generated<string[]>
  transfer: JSONColumnType<Transfer> | null
  sealed_secrets: string | null
  /** The holder whose rights its runs have; null if it no longer exists. */
  holder: string | null
  /** Email of the person who last saved it. */
  author: string
  created_at: Date
  updated_at: Date
  terminated_at: Date | null
  paused_at: Date | null
  paused_by: string | null
  pause_reason: string | null
  next_due_at: Date | null
  next_sequence: Generated<number>
  last_due_at: Date | null
  /** The clock time in the zone at `next_due_at`, stored as if in UTC, by `zone_rules`. */
  next_clock_time: Date | null
  zone_rules: string | null
}

/** An attempt at a run, as stored. Times are ISO 8601. */
export type StoredAttempt = {
  startedAt: string
  endedAt: string | null
  status: ScheduleStatus
  processedRecords: number | null
  error: string | null
}

export type Omission = 'skipped' | 'missed' | 'overlapping'

type ScheduleTable = {
  id: Generated<string>
  account_id: AccountId
  cron_id: string
  consumer: ConsumerCode
  due_at: Date
  is_run_now: Generated<boolean>
  sequence: number | null
  status: Exclude<ScheduleStatus, 'upcoming'>
  ready_at: Date | null
  started_at: Date | null
  ended_at: Date | null
  recovery_count: Generated<number>
  attempts: ColumnType<StoredAttempt[], string | undefined, string>
  processed_records: string | null
  job_id: string | null
  comment: string | null
  omission: Omission | null
  is_email_due: Generated<boolean>
  is_delivering: Generated<boolean>
  is_undelivered: Generated<boolean>
  is_backfill: Generated<boolean>
}

export type Tables = { crons: CronTable; schedules: ScheduleTable }
export type CronRow = Selectable<CronTable>
export type ScheduleRow = Selectable<ScheduleTable>
