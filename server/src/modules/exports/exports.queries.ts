import type { ExportDelimiter } from '@portico/contract/exports'
import type { AccountId } from '@portico/contract/identity'
import type { JobStatus } from '@portico/contract/jobs'
import { type ColumnType, type Generated, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { ListedTable } from '#filters'
import { type Db, inAccount } from '#platform/database.ts'

/** A bigint, which the driver answers as text. */
type Big = ColumnType<string, number | undefined, number>

/** Table `exports` of an account. */
export type ExportTable = {
  id: Generated<string>
  name: string
  creator: string
  created_at: Date
  status: JobStatus
  cancel_requested: Generated<boolean>
  delimiter: ExportDelimiter
  fields: string[]
  /** The pipeline as JSON text, as it was given; null for all contacts. */
  filter: string | null
  started_at: Date | null
  last_activity_at: Date | null
  processed_records: Big
  /** Known from when the contacts were counted. */
  total_records: ColumnType<string | null, number | null | undefined, number | null>
  recovery_count: Generated<number>
  recovery_error: string | null
  /** Where the storage keeps the file. Each attempt writes one of its own, so the key also tells whose turn it is. */
  file_key: string | null
  /** Bytes of the finished file. */
  file_size: ColumnType<string | null, number | null | undefined, number | null>
  should_zip: Generated<boolean>
  /** The file was kept for its days, and is gone. */
  file_removed_at: Date | null
}
type Tables = { exports: ExportTable }

export type ExportRow = Selectable<ExportTable>

/** What lists of exports may be filtered and sorted by. */
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

export async function insertExport(db: Db, account: AccountId, row: Insertable<ExportTable>): Promise<ExportRow> {
  return inAccount<Tables>(db, account).insertInto('exports').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function selectExport(db: Db, account: AccountId, id: string): Promise<ExportRow | undefined> {
  return inAccount<Tables>(db, account).selectFrom('exports').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function isExportNameTaken(db: Db, account: AccountId, name: string): Promise<boolean> {
  const found = await inAccount<Tables>(db, account)
    .selectFrom('exports')
    .select('id')
    .where(sql`lower(name)`, '=', sql`lower(${name})`)
    .executeTakeFirst()
  return found !== undefined
}

/** The reason an export ends with when somebody cancels it (specification 3 §4). */
export const cancelledByUser = 'cancelled by the user'

/** Marks the export as cancelled by request; undefined when it has ended already. */
export async function updateCancelRequested(
  db: Db,
  account: AccountId,
  id: string,
  now: Date,
): Promise<ExportRow | undefined> {
  return inAccount<Tables>(db, account)
    .updateTable('exports')
    .set({
      cancel_requested: true,
      // One that waits ends at once; one that runs is ended by its worker.
      status: sql`CASE WHEN status = 'waiting' THEN 'rejected' ELSE status END`,
      recovery_error: sql`CASE WHEN status = 'waiting' THEN ${cancelledByUser} ELSE recovery_error END`,
      last_activity_at: now,
    })
    .where('id', '=', id)
    .where('status', 'in', ['waiting', 'processing', 'recovery'])
    .returningAll()
    .executeTakeFirst()
}

/** Begins an attempt, unless the export has changed since `before` was read. */
export async function updateClaimed(
  db: Db,
  account: AccountId,
  before: ExportRow,
  change: Updateable<ExportTable>,
): Promise<ExportRow | undefined> {
  return inAccount<Tables>(db, account)
    .updateTable('exports')
    .set(change)
    .where('id', '=', before.id)
    .where('status', '=', before.status)
    .where(sql<boolean>`file_key IS NOT DISTINCT FROM ${before.file_key}`)
    .returningAll()
    .executeTakeFirst()
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
  return inAccount<Tables>(db, account)
    .updateTable('exports')
    .set(change)
    .where('id', '=', id)
    .where('file_key', '=', fileKey)
    .where('status', 'in', ['processing', 'recovery'])
    .returningAll()
    .executeTakeFirst()
}

/** Ends an attempt well, unless the export was cancelled or taken over at the last moment. */
export async function updateCompleted(
  db: Db,
  account: AccountId,
  id: string,
  fileKey: string,
  change: Updateable<ExportTable>,
): Promise<ExportRow | undefined> {
  return inAccount<Tables>(db, account)
    .updateTable('exports')
    .set({ ...change, status: 'completed', recovery_error: null })
    .where('id', '=', id)
    .where('file_key', '=', fileKey)
    .where('status', 'in', ['processing', 'recovery'])
    .where('cancel_requested', '=', false)
    .returningAll()
    .executeTakeFirst()
}
