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

/** One run of one import, shared by its steps. */
export type ImportRun = ImportDeps & {
  account: AccountId
  row: ImportRow
  /** Writes how far it is where its owner reads that. */
  record: (changes: Updateable<ImportTable>) => Promise<void>
  /** Throws when the import was cancelled or the worker is stopping; called between batches. */
  checkpoint: () => Promise<void>
  /** Every server of the database replied when the run began; always true on PostgreSQL alone. */
  isClusterWhole: boolean
}
