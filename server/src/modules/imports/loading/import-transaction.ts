import { type Connection, type Db, withConnection } from '#platform/database.ts'
import type { ImportRun } from '../import-context.ts'

/** Runs `work` in a transaction on a connection that is closed when it fails. */
export function inImportTransaction<T>(
  { database }: Pick<ImportRun, 'database'>,
  work: (tx: Db, connection: Connection) => Promise<T>,
) {
  return withConnection(database, (connection) => connection.db.transaction().execute((tx) => work(tx, connection)))
}
