import pg from 'pg'
import { loadContacts } from './import-bench.ts'
import { exportAll, inTurns, measureSearches, type Sides } from './in-turns.ts'
import type { Client, Portal } from './portal.ts'
import type { Measurement } from './report.ts'
import { buildIndexes } from './search-data.ts'
import { timed } from './timing.ts'

type Account = { client: Client; file: string }

/**
 * Measures how work grows with an account: the same work in one with all rows and in one with a tenth of them, in turn.
 * Prints the size of the larger one in the database.
 * @param files the smaller one has a tenth of the rows of the larger one
 */
export async function benchGrowth(portal: Portal, files: { large: string; small: string }): Promise<Measurement[]> {
  const [large, small] = [await portal.anotherClient(), await portal.anotherClient()]
  const accounts: Sides<Account> = {
    measured: { client: large, file: files.large },
    reference: { client: small, file: files.small },
    referenceName: 'a tenth',
  }
  const clients: Sides<Client> = { ...accounts, measured: large, reference: small }
  const load = ({ client, file }: Account): Promise<number> => loadContacts(client, file)
  const withMemory = async (measure: () => Promise<Measurement>): Promise<Measurement> => {
    portal.memory.reset()
    return { ...(await measure()), peakBytes: portal.memory.peakBytes() }
  }
  const jobs = [
    await withMemory(() => inTurns('import: cast, dedup, PURL', 1, accounts, load)),
    await withMemory(() => inTurns('the same file again, every contact known', 1, accounts, load)),
    await withMemory(() => inTurns('export: all contacts', 2, clients, exportAll)),
    await withMemory(() =>
      inTurns('indexes on two fields', 1, clients, (client) => timed(() => buildIndexes(client, ['Email', 'Score']))),
    ),
  ]
  const searches = await measureSearches(clients, { isSame: false, rounds: 0.4 })
  await printSizes(portal.databaseUrl, large.account)
  return [...jobs, ...searches]
}

/** Prints the size of the account's tables and indexes in the database. */
async function printSizes(databaseUrl: string, account: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string; table: string; indexes: string }>(
      `SELECT relname AS name, pg_size_pretty(pg_table_size(oid)) AS table, pg_size_pretty(pg_indexes_size(oid)) AS indexes
       FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND pg_total_relation_size(oid) > 10000000
       ORDER BY pg_total_relation_size(oid) DESC`,
      [`account_${account}`],
    )
    console.table(rows)
  } finally {
    await client.end()
  }
}
