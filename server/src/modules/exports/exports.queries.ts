import type { ExportDelimiter } from '@portico/contract/exports'
import { foldName } from '@portico/contract/names'
import type { AccountId } from '@portico/contract/accounts'
import type { JobStatus } from '@portico/contract/jobs'
import {
  type ColumnType,
  type Generated,
  type Insertable,
  type JSONColumnType,
  type Selectable,
  type Updateable,
} from 'kysely'
import type { ActsAs } from '#credentials'
import type { ListedTable } from '#filters'
import { type BigintColumn, type Db, inAccount } from '#platform/database.ts'
import { nameColumns } from '#platform/name-columns.ts'
import { cancelJobRow, type JobTable, runningStates, updateJobRow } from '#platform/jobs/job-rows.ts'

/** Table `exports` of an account. */
export type ExportTable = {
  id: Generated<string>
  name: string
  /** `foldName` of the name, by which it is unique in the account. */
  name_key: string
  creator: string
  created_at: Date
  status: JobStatus
  cancel_requested: Generated<boolean>
  delimiter: ExportDelimiter
  fields: string[]
  /** The pipeline as JSON text, as it was submitted; null for all contacts. */
  filter: string | null
  started_at: Date | null
  last_activity_at: Date | null
  processed_records: BigintColumn
  /** Set when the contacts have been counted. */
  total_records: ColumnType<string | null, number | null | undefined, number | null>
  recovery_count: Generated<number>
  recovery_error: string | null
  /** Storage key of the file. Each attempt writes a separate one, so the key also identifies the current attempt. */
  file_key: string | null
  /** Bytes of the finished file. */
  file_size: ColumnType<string | null, number | null | undefined, number | null>
  should_zip: Generated<boolean>
  /** The file starts with a byte order mark. */
  byte_order_mark: Generated<boolean>
  /** Set when the file expired and was removed. */
  file_removed_at: Date | null
  /** The right that it is written and delivered with; null for the portal's own, and before it was stored. */
  acts_as: JSONColumnType<ActsAs> | null
}
type Tables = { exports: ExportTable }
const exportJobs: JobTable<ExportTable> = { name: 'exports' }

export type ExportRow = Selectable<ExportTable>

/** Filter and sort fields of lists of exports. */
export const listedExports: ListedTable = {
  name: 'exports',
  fields: {
    _id: { column: 'id', type: 'id' },
    name: { column: 'name', type: 'string' },
    creator: { column: 'creator', type: 'string' },
    creationDate: { column: 'created_at', type: 'date' },
    status: { column: 'status', type: 'string' },
    delimiter: { column: 'delimiter', type: 'string' },
    processedRecords: { column: 'processed_records', type: 'number' },
    totalRecords: { column: 'total_records', type: 'number' },
    startDate: { column: 'started_at', type: 'date' },
    lastActivityDate: { column: 'last_activity_at', type: 'date' },
    recoveryCount: { column: 'recovery_count', type: 'number' },
    recoveryError: { column: 'recovery_error', type: 'string' },
    fileSize: { column: 'file_size', type: 'number' },
    shouldZip: { column: 'should_zip', type: 'boolean' },
  },
}

export async function insertExport(
  db: Db,
  account: AccountId,
  row: Omit<Insertable<ExportTable>, 'name_key'>,
): Promise<ExportRow> {
  const values = { ...row, ...nameColumns(row.name) }
  return inAccount<Tables>(db, account).insertInto('exports').values(values).returningAll().executeTakeFirstOrThrow()
}

export async function selectExport(db: Db, account: AccountId, id: string): Promise<ExportRow | undefined> {
  return inAccount<Tables>(db, account).selectFrom('exports').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function selectExports(db: Db, account: AccountId, ids: readonly string[]): Promise<ExportRow[]> {
  if (ids.length === 0) return []
  return inAccount<Tables>(db, account)
    .selectFrom('exports')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute()
}

export async function isExportNameTaken(db: Db, account: AccountId, name: string): Promise<boolean> {
  const found = await inAccount<Tables>(db, account)
    .selectFrom('exports')
    .select('id')
    .where('name_key', '=', foldName(name))
    .executeTakeFirst()
  return found !== undefined
}

/** Cancels an export that has not ended; undefined when it has. */
export async function updateCancelRequested(
  db: Db,
  account: AccountId,
  id: string,
  now: Date,
): Promise<ExportRow | undefined> {
  return cancelJobRow(db, account, exportJobs, id, now)
}

/** Begins an attempt, unless the export has changed since `before` was read. */
export async function updateClaimed(
  db: Db,
  account: AccountId,
  before: ExportRow,
  change: Updateable<ExportTable>,
): Promise<ExportRow | undefined> {
  const { id, status, file_key } = before
  return updateJobRow(db, account, exportJobs, { id, status, file_key }, change)
}

/**
 * Changes a running export on behalf of the attempt that writes `fileKey`; undefined when the export has ended or
 * another attempt has taken over.
 */
export async function updateAttempt(
  db: Db,
  account: AccountId,
  id: string,
  fileKey: string,
  change: Updateable<ExportTable>,
): Promise<ExportRow | undefined> {
  return updateJobRow(db, account, exportJobs, { id, status: runningStates, file_key: fileKey }, change)
}

/** Completes an attempt, unless the export was cancelled or taken over at the last moment. */
export async function updateCompleted(
  db: Db,
  account: AccountId,
  id: string,
  fileKey: string,
  change: Updateable<ExportTable>,
): Promise<ExportRow | undefined> {
  const expected = { id, status: runningStates, file_key: fileKey, cancel_requested: false }
  return updateJobRow(db, account, exportJobs, expected, { ...change, status: 'completed', recovery_error: null })
}
