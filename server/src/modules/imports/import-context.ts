import type { AccountId } from '@portico/contract/accounts'
import type { Database, Db } from '#platform/database.ts'
import type { Logger } from '#platform/log.ts'
import type { Storage } from '#platform/storage.ts'
import type { Updateable } from 'kysely'
import type { ImportRow, ImportTable } from './imports.queries.ts'

/** Dependencies of running imports, and the listeners they report to. */
export type ImportDeps = {
  database: Database
  storage: Storage
  log: Logger
  /** Called when an import completes, before it is shown as completed. May be called a second time after a crash. */
  onCompleted: (account: AccountId, row: ImportRow) => Promise<void>
  /** Called in the transaction that marks an import as rejected. */
  onRejected: (tx: Db, account: AccountId, row: ImportRow) => Promise<void>
}

/** The settings for reading the file of an import, or of its review. */
export type FileSettings = Pick<
  ImportRow,
  | 'id'
  | 'plan'
  | 'header'
  | 'delimiter'
  | 'file_sheet'
  | 'file_path'
  | 'file_key'
  | 'file_size'
  | 'header_line'
  | 'name_columns'
  | 'column_mapping'
  | 'column_types'
  | 'on_mismatch'
  | 'on_mismatch_by_field'
  | 'type_casting'
  | 'generate_purl'
  | 'purl_scope'
  | 'same_purl'
  | 'purl_columns'
  | 'dedup_columns'
  | 'latitude_column'
  | 'longitude_column'
  | 'purl_started_at'
>

/** One read of a file for an import or its review; shared by its steps. */
export type FileRun = Pick<ImportDeps, 'database' | 'storage' | 'log'> & {
  account: AccountId
  row: FileSettings
  /** Stores the progress of the read with the import or review. */
  record: (changes: Updateable<ImportTable>) => Promise<void>
  /** Throws if the import or review was cancelled or the worker is stopping; called between batches. */
  checkpoint: () => Promise<void>
  /** Aborted when the worker is stopping. */
  signal: AbortSignal
  /** Whether every server of the database replied when the run began; always true on PostgreSQL alone. */
  isClusterWhole: boolean
}

/** One run of one import, shared by its steps. */
export type ImportRun = ImportDeps & FileRun & { row: ImportRow }
