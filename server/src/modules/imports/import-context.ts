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
  /** Called when an import completes, before it is shown as completed. A crash may cause a second call. */
  onCompleted: (account: AccountId, row: ImportRow) => Promise<void>
  /** Called in the transaction that ends an import as rejected. */
  onRejected: (tx: Db, account: AccountId, row: ImportRow) => Promise<void>
}

/** The settings by which the file of an import, or of its review, is read. */
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

/** One read of a file for an import, or for its review; shared by its steps. */
export type FileRun = Pick<ImportDeps, 'database' | 'storage' | 'log'> & {
  account: AccountId
  row: FileSettings
  /** Writes how far the read is, where its owner looks for that. */
  record: (changes: Updateable<ImportTable>) => Promise<void>
  /** Throws when its owner has cancelled it, or the worker is stopping; called between batches. */
  checkpoint: () => Promise<void>
  /** Every server of the database replied when the run began; always true on PostgreSQL alone. */
  isClusterWhole: boolean
}

/** One run of one import, shared by its steps. */
export type ImportRun = ImportDeps & FileRun & { row: ImportRow }
