import { listAccounts } from '#accounts'
import { listImports } from '#imports'
import { type Db, isDatabaseAway } from '#platform/database.ts'
import { whileDatabaseReturns } from '#platform/waits/database-start.ts'
import type { Services } from '#platform/services.ts'
import { makeAccess, makeGlobalAccess } from './access-load.service.ts'
import { fillAccount, makeAccount, submitImports } from './account-load.service.ts'
import { type DemoRow, withDemoLock, insertDemo, selectDemo, updateDemoLoaded } from './demo.queries.ts'
import { harbor } from './harbor.ts'
import { northwind } from './northwind.ts'

/** The accounts of the demo, parents first: 20,000 contacts in all. */
export const demoAccounts = [...northwind, ...harbor]

/**
 * Starts to load the demo in the background if it is enabled and not loaded yet. Errors are only logged; the next start
 * retries. Returns a function that stops the load cleanly.
 */
export function startDemo(parts: Services): () => Promise<void> {
  const stopping = new AbortController()
  const loading = parts.config.demo ? loadOrLog(parts, stopping.signal) : Promise.resolve()
  return () => {
    stopping.abort()
    return loading
  }
}

/** Returns whether the installation has the demo, or may still get it. */
export async function hasDemo({ config, database }: Pick<Services, 'config' | 'database'>): Promise<boolean> {
  return config.demo && (await selectDemo(database.db))?.state !== 'declined'
}

async function loadOrLog(parts: Services, signal: AbortSignal): Promise<void> {
  // Each account, import and cell is made once: an interrupted load continues.
  const patiently = whileDatabaseReturns(parts.log, (error) => !signal.aborted && isDatabaseAway(error))
  try {
    await patiently(() => loadDemo(parts, signal))
  } catch (error) {
    if (signal.aborted) parts.log.info('loading of the demo resumes at the next start')
    else parts.log.error({ err: error }, 'the demo could not be loaded; the next start retries')
  }
}

/**
 * Loads the demo into a new installation, or resumes an interrupted load. Needs a running worker, in any process.
 * Returns the state of the demo; null if another process is loading it.
 */
export async function loadDemo(parts: Services, signal: AbortSignal): Promise<DemoRow['state'] | null> {
  return withDemoLock(parts.database, async () => {
    const { db } = parts.database
    const { state, startedAt } = (await selectDemo(db)) ?? (await decide(db, parts.config.company))
    if (state !== 'loading') return state
    const begun = performance.now()
    await loadAccounts({ ...parts, signal, asOf: startedAt })
    await updateDemoLoaded(db, new Date())
    parts.log.info({ seconds: Math.round((performance.now() - begun) / 100) / 10 }, 'the demo is loaded')
    return 'loaded'
  })
}

async function loadAccounts(load: Parameters<typeof submitImports>[0]): Promise<void> {
  const accounts = []
  for (const demo of demoAccounts) accounts.push({ demo, id: await makeAccount(load, demo) })
  const [first] = accounts
  if (first) await makeGlobalAccess(load, first.id)
  for (const { demo, id } of accounts) await makeAccess(load, id, demo)
  for (const { demo, id } of accounts) await submitImports(load, id, demo)
  for (const { demo, id } of accounts) await fillAccount(load, id, demo)
}

async function decide(db: Db, company: string): Promise<DemoRow> {
  const row: DemoRow = { state: (await isNew(db, company)) ? 'loading' : 'declined', startedAt: new Date() }
  await insertDemo(db, row)
  return row
}

/** Returns whether the installation is unused: it has only its initial account. */
async function isNew(db: Db, company: string): Promise<boolean> {
  const [first, ...others] = await listAccounts(db)
  if (!first) return true
  if (others.length > 0 || first.Value !== company) return false
  const imports = await listImports({ db, caller: null, rows: null }, first.Key, { limit: 1, skip: 0 })
  return Array.isArray(imports) && imports.length === 0
}
