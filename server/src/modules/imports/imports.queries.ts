import { foldName } from '@portico/domain/names'
import type { AccountId } from '@portico/contract/accounts'
import type {
  ColumnTypes,
  ImportDelimiter,
  ImportKind,
  ImportPhase,
  MismatchChoice,
  PurlScope,
} from '@portico/contract/imports'
import type { JobStatus } from '@portico/contract/jobs'
import {
  type ColumnType,
  type Generated,
  type Insertable,
  type JSONColumnType,
  type Selectable,
  sql,
  type Updateable,
} from 'kysely'
import type { ActsAs } from '#credentials'
import type { ListedTable } from '#filters'
import { accountTable, type Db, inAccount } from '#platform/database.ts'
import { nameColumns } from '#platform/name-columns.ts'
import { cancelJobRow, type JobTable } from '#platform/jobs/job-rows.ts'
import type { EventPlan } from './events/event-plan.ts'
import type { ImportPlan } from './import-plan.ts'
import type { UndoColumns } from './undo/undo-columns.ts'

type Json<T> = ColumnType<T | null, string | null, string | null>

/** Table `imports` of an account. */
export type ImportTable = {
  id: number
  kind: ImportKind
  name: string
  /** `foldName` of the name, by which it is unique in the account. */
  name_key: string
  creator: string
  /** Holder of the right for it and its automatic export; null for the portal's own, and before this was stored. */
  holder: string | null
  /** The request for it, checked again before it runs; null also for imports of releases that did not store it. */
  acts_as: JSONColumnType<ActsAs> | null
  created_at: Date
  status: JobStatus
  phase: ImportPhase | null
  /** 0 to 1 within the phase. */
  phase_progress: Generated<number>
  started_at: Date | null
  last_activity_at: Date | null
  cancel_requested: Generated<boolean>
  processed_records: Generated<number>
  total_records: number | null
  created_records: Generated<number>
  updated_records: Generated<number>
  set_aside_records: Generated<number>
  /** Number of cells left out of processed rows. */
  set_aside_cells: Generated<number>
  empty_records: Generated<number>
  purl_status: JobStatus | null
  purl_processed_records: Generated<number>
  purl_started_at: Date | null
  purl_last_activity_at: Date | null
  generate_purl: boolean
  purl_scope: PurlScope
  same_purl: boolean
  type_casting: boolean
  auto_export: boolean
  purl_columns: string[]
  dedup_columns: string[]
  latitude_column: string | null
  longitude_column: string | null
  notification_emails: string[]
  column_mapping: Json<Record<string, string | null>>
  on_mismatch: Generated<MismatchChoice>
  on_mismatch_by_field: Json<Record<string, MismatchChoice>>
  column_types: Json<ColumnTypes>
  /** For events: the column with the contact's key, and the field it is matched with. */
  key_column: string | null
  key_field: string | null
  /** Thousands of rows. */
  batch_size: number
  delimiter: ImportDelimiter
  /** Sheet of a workbook; null for a file of another kind. */
  file_sheet: string | null
  /** Line of the file on which its header begins; null for the first non-empty row. */
  header_line: number | null
  /** Whether unnamed columns get a name. */
  name_columns: Generated<boolean>
  file_path: string
  /** Storage key of the uploaded file. */
  file_key: string
  /** Bytes; a bigint, which the driver returns as text. */
  file_size: ColumnType<string, number, number>
  header: Generated<string[]>
  /** The plan made after the first read of the file; null before. */
  plan: Json<ImportPlan | EventPlan>
  /** Storage key of the report of rows set aside; null if there were none. */
  report_key: string | null
  /** Bytes of the report; also null until it has been measured. */
  report_size: ColumnType<string | null, number | null | undefined, number | null>
  /** Rows in the report; null if it has only the rows set aside. */
  report_rows: number | null
  recovery_count: Generated<number>
  recovery_error: string | null
  /** Consecutive attempts that committed nothing. */
  stalled_attempts: Generated<number>
} & UndoColumns
type Tables = { imports: ImportTable }
export const importJobs: JobTable<ImportTable, 'id' | 'status' | 'recovery_count'> = {
  name: 'imports',
  seen: ['id', 'status', 'recovery_count'],
}

export type ImportRow = Selectable<ImportTable>
export type NewImportRow = Omit<Insertable<ImportTable>, 'name_key'>

/** Columns for filtering and sorting lists of imports. */
export const listedImports: ListedTable = {
  name: 'imports',
  fields: {
    _id: { column: 'id', type: 'id' },
    kind: { column: 'kind', type: 'string' },
    name: { column: 'name', type: 'string' },
    creator: { column: 'creator', type: 'string' },
    creationDate: { column: 'created_at', type: 'date' },
    status: { column: 'status', type: 'string' },
    processedRecords: { column: 'processed_records', type: 'number' },
    totalRecords: { column: 'total_records', type: 'number' },
    setAsideRecords: { column: 'set_aside_records', type: 'number' },
    setAsideCells: { column: 'set_aside_cells', type: 'number' },
    emptyRecords: { column: 'empty_records', type: 'number' },
    startDate: { column: 'started_at', type: 'date' },
    lastActivityDate: { column: 'last_activity_at', type: 'date' },
    purlStatus: { column: 'purl_status', type: 'string' },
    purlProcessedRecords: { column: 'purl_processed_records', type: 'number' },
    purlStartDate: { column: 'purl_started_at', type: 'date' },
    purlLastActivityDate: { column: 'purl_last_activity_at', type: 'date' },
    generatePURL: { column: 'generate_purl', type: 'boolean' },
    purlGenerationScope: { column: 'purl_scope', type: 'string' },
    filePath: { column: 'file_path', type: 'string' },
    fileDelimiter: { column: 'delimiter', type: 'string' },
    fileSheet: { column: 'file_sheet', type: 'string' },
    recoveryCount: { column: 'recovery_count', type: 'number' },
    recoveryError: { column: 'recovery_error', type: 'string' },
    undoStatus: { column: 'undo_status', type: 'string' },
    binds: { column: 'binds', type: 'boolean' },
  },
}

const { recoveryError: _reasons, ...toSome } = listedImports.fields
/** The same for users who may not search all contacts: filtering by reasons would let them guess values of others. */
export const listedToSome: ListedTable = { ...listedImports, fields: toSome }

/** Inserts with the next id. On a unique violation, a concurrent call took the same id: the caller must retry. */
export async function insertImport(db: Db, account: AccountId, row: Omit<NewImportRow, 'id'>): Promise<ImportRow> {
  const tables = inAccount<Tables>(db, account)
  const { last } = await tables
    .selectFrom('imports')
    .select(({ fn }) => fn.coalesce(fn.max('id'), sql<number>`0`).as('last'))
    .executeTakeFirstOrThrow()
  return tables
    .insertInto('imports')
    .values({ ...row, ...nameColumns(row.name), id: last + 1 })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function selectImport(db: Db, account: AccountId, id: number): Promise<ImportRow | undefined> {
  return inAccount<Tables>(db, account).selectFrom('imports').selectAll().where('id', '=', id).executeTakeFirst()
}

/**
 * Selects the latest import of contacts before `id` whose settings bind later ones: it has committed a row, or still
 * may. One that ended without a row binds nothing.
 */
export async function selectBindingImport(db: Db, account: AccountId, id: number): Promise<ImportRow | undefined> {
  return inAccount<Tables>(db, account)
    .selectFrom('imports')
    .selectAll()
    .where('kind', '=', 'contacts')
    .where('binds', '=', true)
    .where('id', '<', id)
    .where((eb) => eb.or([eb('processed_records', '>', 0), eb('status', 'in', ['waiting', 'processing', 'recovery'])]))
    .orderBy('id', 'desc')
    .executeTakeFirst()
}

/** Selects the last import of this kind from a file with these column names. */
export async function selectImportWithHeader(
  db: Db,
  account: AccountId,
  { kind, names }: { kind: ImportKind; names: readonly string[] },
) {
  return inAccount<Tables>(db, account)
    .selectFrom('imports')
    .select(['name', 'column_mapping', 'on_mismatch_by_field', 'column_types', 'key_column', 'key_field'])
    .where('kind', '=', kind)
    .where(sql<boolean>`header = ${[...names]}::text[]`)
    .where('processed_records', '>', 0)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export type HeaderOfImport = Pick<ImportRow, 'name' | 'header' | 'header_line' | 'name_columns'>

/** Selects the headers of the last imports for which a line or names were chosen, latest first. */
export async function selectChosenHeaders(db: Db, account: AccountId, most: number): Promise<HeaderOfImport[]> {
  return inAccount<Tables>(db, account)
    .selectFrom('imports')
    .select(['name', 'header', 'header_line', 'name_columns'])
    .where((eb) => eb.or([eb('header_line', 'is not', null), eb('name_columns', '=', true)]))
    .where('processed_records', '>', 0)
    .orderBy('id', 'desc')
    .limit(most)
    .execute()
}

export async function countUnendedImports(db: Db, account: AccountId): Promise<number> {
  const { count } = await inAccount<Tables>(db, account)
    .selectFrom('imports')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('status', 'not in', ['completed', 'rejected'])
    .executeTakeFirstOrThrow()
  return count
}

/** Selects ids of unended imports that give their contacts dedup keys. */
export async function selectImportsThatMakeKeys(db: Db, account: AccountId): Promise<number[]> {
  const rows = await inAccount<Tables>(db, account)
    .selectFrom('imports')
    .select('id')
    .where('kind', '=', 'contacts')
    .where('status', 'not in', ['completed', 'rejected'])
    .where('dedup_columns', '<>', sql<string[]>`'{}'`)
    .execute()
  return rows.map(({ id }) => id)
}

export async function isImportNameTaken(db: Db, account: AccountId, name: string): Promise<boolean> {
  const found = await inAccount<Tables>(db, account)
    .selectFrom('imports')
    .select('id')
    .where('name_key', '=', foldName(name))
    .executeTakeFirst()
  return found !== undefined
}

export async function updateImport(
  db: Db,
  account: AccountId,
  id: number,
  changes: Updateable<ImportTable>,
): Promise<void> {
  await inAccount<Tables>(db, account).updateTable('imports').set(changes).where('id', '=', id).execute()
}

/** Cancels an unended import; undefined if it has already ended. */
export async function updateCancelRequested(db: Db, account: AccountId, id: number): Promise<ImportRow | undefined> {
  return cancelJobRow(db, account, importJobs, id, {
    purl_status: sql`CASE WHEN status = 'waiting' AND purl_status IS NOT NULL THEN 'rejected' ELSE purl_status END`,
  })
}

/**
 * Records a committed batch and updates the import's counts, in the batch's own transaction. `countsRows` is false for
 * a lane whose rows another lane counts.
 */
export async function insertBatch(
  db: Db,
  account: AccountId,
  batch: { importId: number; batch: number; lane: number; rows: number; created: number; updated: number },
): Promise<void> {
  await sql`
    INSERT INTO ${accountTable(account, 'import_batches')} (import_id, batch, lane, rows, created, updated)
    VALUES (${batch.importId}, ${batch.batch}, ${batch.lane}, ${batch.rows}, ${batch.created}, ${batch.updated})`.execute(
    db,
  )
}

/**
 * Adds a committed batch to the counts shown on screens. `hasPurls` is true if its contacts already have their PURLs.
 */
export async function updateCounts(
  db: Db,
  account: AccountId,
  id: number,
  counts: { rows: number; created: number; updated: number; hasPurls: boolean; now: Date },
): Promise<void> {
  const { rows, created, updated, hasPurls, now } = counts
  await sql`
    UPDATE ${accountTable(account, 'imports')}
    SET processed_records = processed_records + ${rows},
        created_records = created_records + ${created},
        updated_records = updated_records + ${updated},
        phase_progress = LEAST(1, (processed_records + ${rows})::real / GREATEST(total_records, 1)),
        purl_processed_records = purl_processed_records + CASE WHEN ${hasPurls} THEN ${rows}::int ELSE 0 END,
        purl_last_activity_at = CASE WHEN ${hasPurls} THEN ${now}::timestamptz ELSE purl_last_activity_at END,
        last_activity_at = ${now},
        stalled_attempts = 0
    WHERE id = ${id}`.execute(db)
}

/** Corrects the counts when loaded rows turn out to repeat contacts of earlier rows. */
export async function updateRepeated(
  db: Db,
  account: AccountId,
  id: number,
  counts: { repeated: number; updated: number; now: Date },
): Promise<void> {
  const { repeated, updated, now } = counts
  await sql`
    UPDATE ${accountTable(account, 'imports')}
    SET created_records = created_records - ${repeated}, updated_records = updated_records + ${updated},
        last_activity_at = ${now}, stalled_attempts = 0
    WHERE id = ${id}`.execute(db)
}

/** Records that every processed row has its PURL. */
export async function updatePurlsDone(db: Db, account: AccountId, id: number, now: Date): Promise<void> {
  await sql`
    UPDATE ${accountTable(account, 'imports')}
    SET purl_processed_records = CASE WHEN generate_purl THEN processed_records ELSE 0 END,
        purl_last_activity_at = CASE WHEN generate_purl THEN ${now}::timestamptz ELSE purl_last_activity_at END,
        last_activity_at = ${now}, stalled_attempts = 0
    WHERE id = ${id}`.execute(db)
}

/** Committed batches, as `batch:lane`. */
export async function selectBatches(db: Db, account: AccountId, importId: number): Promise<Set<string>> {
  const { rows } = await sql<{ batch: number; lane: number }>`
    SELECT batch, lane FROM ${accountTable(account, 'import_batches')} WHERE import_id = ${importId}`.execute(db)
  return new Set(rows.map(({ batch, lane }) => `${batch}:${lane}`))
}
