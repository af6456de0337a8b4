import type { AccountId } from '@portico/contract/accounts'
import type { Database } from '#platform/database.ts'
import type { Logger } from '#platform/log.ts'
import type { Storage } from '#platform/storage.ts'
import type { ImportRow } from './imports.queries.ts'

/** What running imports needs, and what it reports to. */
export type ImportDeps = {
  database: Database
  storage: Storage
  log: Logger
  /** Called once when an import is completed, before it is shown as such; may be called again after a crash. */
  onCompleted: (account: AccountId, row: ImportRow) => Promise<void>
}

/** One run of one import: what its steps share. */
export type ImportRun = ImportDeps & {
  account: AccountId
  row: ImportRow
  /** Throws when the import was cancelled or the worker is asked to stop; called between batches. */
  checkpoint: () => Promise<void>
}
