import { loadContacts } from './import-bench.ts'
import { exportAll, inTurns, measureSearches, type Sides } from './in-turns.ts'
import { type Portal, startPortal } from './portal.ts'
import type { Measurement } from './report.ts'
import { buildIndexes } from './search-data.ts'
import { timed } from './timing.ts'

const loads = 3
const exports = 5

/**
 * Measures the same work on two portals in turn: one on a Citus cluster, one on PostgreSQL alone.
 * @param urls of empty databases; for the cluster, that of its coordinator
 */
export async function benchCitus(urls: { citus: string; postgres: string }, file: string): Promise<Measurement[]> {
  const sides: Sides<Portal> = {
    measured: await startPortal({ DATABASE_URL: urls.citus }),
    reference: await startPortal({ DATABASE_URL: urls.postgres }),
    referenceName: 'PostgreSQL',
  }
  try {
    const measurements = [
      await inTurns('a new account', loads, sides, (portal) => timed(() => portal.enterNewAccount())),
      await inTurns('import: cast, dedup, PURL', loads, sides, (portal) => loadIntoNewAccount(portal, file)),
      await inTurns('export: all contacts', exports, sides, exportAll),
    ]
    for (const portal of [sides.measured, sides.reference]) await buildIndexes(portal, ['Email', 'Score'])
    return [...measurements, ...(await measureSearches(sides, { isSame: true, rounds: 1 }))]
  } finally {
    await sides.measured.stop()
    await sides.reference.stop()
  }
}

/** Returns the duration of the import alone, as the portal reports it. */
async function loadIntoNewAccount(portal: Portal, file: string): Promise<number> {
  await portal.enterNewAccount()
  return loadContacts(portal, file)
}
