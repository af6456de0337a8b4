import type { ExportDelimiter } from '@portico/contract/exports'
import { foldName } from '@portico/domain/names'
import type { AccountId } from '@portico/contract/accounts'
import { type ColumnType, type Generated, type Insertable, type JSONColumnType, type Selectable, sql } from 'kysely'
import type { ActsAs } from '#credentials'
import type { ListedTable } from '#filters'
import { accountTable, type Db, inAccount } from '#platform/database.ts'
import { type FileJobTable, type FileSeen, fileSeen } from '#platform/jobs/file-attempt.ts'
import type { JobTable } from '#platform/jobs/job-rows.ts'
import { nameColumns } from '#platform/name-columns.ts'

/** Table `exports` of an account. */
export type ExportTable = FileJobTable & {
  name: string
  /** `foldName` of the name, by which it is unique in the account. */
  name_key: string
  creator: string
  created_at: Date
  cancel_requested: Generated<boolean>
  delimiter: ExportDelimiter
  fields: string[]
  /** The pipeline as JSON text, as submitted; null for all contacts. */
  filter: string | null
  /** Set when the contacts have been counted. */
  total_records: ColumnType<string | null, number | null | undefined, number | null>
  /** Bytes of the finished file. */
  file_size: ColumnType<string | null, number | null | undefined, number | null>
  should_zip: Generated<boolean>
  /** The file starts with a byte order mark. */
  byte_order_mark: Generated<boolean>
  /** Set when the file expired and was removed. */
  file_removed_at: Date | null
  /**
   * The right with which it is written and delivered; null for the portal's own exports, and those of releases that did
   * not store it.
   */
  acts_as: JSONColumnType<ActsAs> | null
}
type Tables = { exports: ExportTable }
export const exportJobs: JobTable<ExportTable, FileSeen> = { name: 'exports', seen: fileSeen }

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

export async function countUnendedExports(db: Db, account: AccountId): Promise<number> {
  const { count } = await inAccount<Tables>(db, account)
    .selectFrom('exports')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('status', 'not in', ['completed', 'rejected'])
    .executeTakeFirstOrThrow()
  return count
}

export async function isExportNameTaken(db: Db, account: AccountId, name: string): Promise<boolean> {
  const found = await inAccount<Tables>(db, account)
    .selectFrom('exports')
    .select('id')
    .where('name_key', '=', foldName(name))
    .executeTakeFirst()
  return found !== undefined
}

/** The place (from 0) of the first of these names that no export has; null when all are taken. */
export async function selectFreeName(db: Db, account: AccountId, names: readonly string[]): Promise<number | null> {
  const keys = names.map((name) => foldName(name))
  const { rows } = await sql<{ place: number }>`
    SELECT place::integer - 1 AS place FROM unnest(${keys}::text[]) WITH ORDINALITY AS n(key, place)
    WHERE NOT EXISTS (SELECT FROM ${accountTable(account, 'exports')} e WHERE e.name_key = n.key)
    ORDER BY place LIMIT 1`.execute(db)
  return rows[0]?.place ?? null
}
