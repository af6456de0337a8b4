import pg from 'pg'
import { loadContacts, startImport, waitFor, waitUntil } from './import-bench.ts'
import { inTurns } from './in-turns.ts'
import type { Client, Portal } from './portal.ts'
import type { Measurement } from './report.ts'

type Undone = { undo: { status: string } | null }

const rounds = 3

/**
 * Measures imports that change nearly all values of all contacts, in an account that records them and in one that does
 * not, and then undoing the last one. Prints the size of the record. `files`: of the same people.
 */
export async function benchUndo(portal: Portal, files: readonly string[]): Promise<Measurement[]> {
  const plain = await portal.anotherClient()
  const pool = new pg.Pool({ connectionString: portal.databaseUrl })
  try {
    // Makes the database skip the statement that records changes.
    await pool.query(
      `CREATE RULE unrecorded AS ON INSERT TO account_${plain.account}.import_changes DO INSTEAD NOTHING`,
    )
    const [first = '', ...others] = files
    for (const client of [portal, plain]) await loadContacts(client, first)
    const turns = new Map<Client, number>()
    const measure = (client: Client): Promise<number> => {
      const turn = (turns.get(client) ?? -1) + 1
      turns.set(client, turn)
      return loadContacts(client, others[turn % others.length] ?? first)
    }
    const sides = { measured: portal as Client, reference: plain, referenceName: 'without the record' }
    const recorded = await inTurns('import: all values of all contacts changed', rounds, sides, measure)
    const path = await startImport(portal, others[rounds % others.length] ?? first)
    await waitFor(portal, path)
    await printSizes(pool, portal.account)
    const begin = performance.now()
    await portal.post(`${path}/undo`, undefined)
    await waitUntil(async () => (await portal.get<Undone>(path)).undo?.status === 'completed')
    return [
      { ...recorded, target: { ratio: 1.2 } },
      { work: 'taking the last one back', milliseconds: performance.now() - begin },
    ]
  } finally {
    await pool.end()
  }
}

async function printSizes(pool: pg.Pool, account: number): Promise<void> {
  const size = (table: string) => `pg_size_pretty(pg_total_relation_size('account_${account}.${table}'))`
  const { rows } = await pool.query<{ imports: number; record: string; contacts: string }>(
    `SELECT count(DISTINCT import_id)::int AS imports, ${size('import_changes')} AS record, ${size('contacts')} AS contacts
     FROM account_${account}.import_changes`,
  )
  const [sizes] = rows
  console.log(`Record of ${sizes?.imports} imports: ${sizes?.record}; the contacts: ${sizes?.contacts}`)
}
