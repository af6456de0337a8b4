import { countUpContactsVersion } from '#accounts'
import { type Connection, type Db, withConnection } from '#platform/database.ts'
import { createWithoutOtherServers } from '#platform/citus/cluster-workers.ts'
import type { FileRun } from '../import-context.ts'

/**
 * Runs `work` in a transaction on a connection that is closed if it fails. After the commit, cached results about
 * contacts are invalid.
 */
export async function inImportTransaction<T>(
  { database, account, isClusterWhole }: Pick<FileRun, 'database' | 'account' | 'isClusterWhole'>,
  work: (tx: Db, connection: Connection) => Promise<T>,
): Promise<T> {
  const result = await withConnection(database, (connection) =>
    connection.db.transaction().execute(async (tx) => {
      if (!isClusterWhole) await createWithoutOtherServers(tx)
      return work(tx, connection)
    }),
  )
  await countUpContactsVersion(database.db, account)
  return result
}
