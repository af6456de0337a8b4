import type { AccountId } from '@portico/contract/identity'
import { FileMissing, type Storage } from '#platform/storage.ts'
import { type Database, isOutOfResources } from '#platform/database.ts'
import { JobInterrupted } from '#platform/jobs.ts'
import type { Logger } from '#platform/log.ts'
import { analyzeContacts } from '#contacts'
import { describeBrokenIndex } from '#indexes'
import { analyzeEvents } from './events/event-import.queries.ts'
import {
  finishEvents,
  loadEvents,
  matchStagedEvents,
  prepareEvents,
  stageEvents,
} from './events/event-import.service.ts'
import type { EventPlan } from './events/event-plan.ts'
import { prepareImport } from './import-prepare.service.ts'
import { buildIndexes, identifyLoaded, loadDirectly, loadFromStage } from './loading/import-load.service.ts'
import { matchStage, stageFile } from './loading/import-stage.service.ts'
import { cancelledByUser, type ImportRow, selectImport, updateImport } from './imports.queries.ts'
import type { ImportPlan } from './import-plan.ts'
import { FileRefused } from './reading/source-text-refused.ts'
import { dropStage } from './loading/stage.queries.ts'

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

type AnyPlan = ImportPlan | EventPlan

/** Somebody asked for the end of the import. */
class ImportCancelled extends Error {}

// A worker that dies without having committed anything is tried again this often; then the file is to blame.
const maxStalledAttempts = 5

/**
 * Runs an import to its end, or goes on with one whose worker died: every step knows what is already committed.
 * A file that cannot be imported ends it as `rejected` with the reason. Trouble of our own (database gone, disk full)
 * leaves it in `recovery` and is thrown, so that the job is tried again.
 */
export async function runImport(
  deps: ImportDeps,
  account: AccountId,
  importId: number,
  signal: AbortSignal,
): Promise<void> {
  const release = await lockImport(deps.database, account, importId)
  try {
    const row = await claim(deps, account, importId)
    if (!row) return
    const run: ImportRun = { ...deps, account, row, checkpoint: checkpointOf(deps, account, importId, signal) }
    try {
      await runSteps(run)
    } catch (error) {
      await failOrRetry(run, error)
    }
  } finally {
    release()
  }
}

/**
 * A lock that lives as long as this worker's connection: a worker that is taken for dead but only slow cannot load the
 * same import beside its successor, who waits until the other's connection is gone.
 */
async function lockImport(database: Database, account: AccountId, importId: number): Promise<() => void> {
  const client = await database.pool.connect()
  client.on('error', () => {})
  // Closing the connection gives the lock back, whatever state it is in.
  const release = () => client.release(true)
  try {
    await client.query("SET lock_timeout = '60s'")
    await client.query('SELECT pg_advisory_lock($1, $2)', [account, importId])
    return release
  } catch (error) {
    release()
    throw error
  }
}

/** Marks the import as running. Answers nothing when there is nothing (more) to do. */
async function claim(deps: ImportDeps, account: AccountId, importId: number): Promise<ImportRow | null> {
  const { db } = deps.database
  const row = await selectImport(db, account, importId)
  if (!row || row.status === 'completed' || row.status === 'rejected') return null
  const now = new Date()
  const isFirst = row.status === 'waiting'
  const stalled = row.stalled_attempts + 1
  await updateImport(db, account, importId, {
    status: isFirst ? 'processing' : 'recovery',
    last_activity_at: now,
    stalled_attempts: stalled,
    ...(isFirst ? { started_at: now } : { recovery_count: row.recovery_count + 1 }),
    ...(row.generate_purl && { purl_status: isFirst ? ('waiting' as const) : ('recovery' as const) }),
  })
  if (stalled > maxStalledAttempts) {
    const reason = row.recovery_error ?? 'The worker stopped again and again while reading this file.'
    await reject(deps, account, row, reason, true)
    return null
  }
  return (await selectImport(db, account, importId)) ?? null
}

function checkpointOf(deps: ImportDeps, account: AccountId, importId: number, signal: AbortSignal) {
  return async () => {
    const row = await selectImport(deps.database.db, account, importId)
    if (!row || row.cancel_requested) throw new ImportCancelled()
    if (signal.aborted) throw new JobInterrupted()
  }
}

async function runSteps(run: ImportRun): Promise<void> {
  const { account, row } = run
  const { db } = run.database
  await run.checkpoint()
  const prepare = (): Promise<AnyPlan> => (row.kind === 'events' ? prepareEvents(run) : prepareImport(run))
  const plan = row.plan ?? (await timed(run, 'examine', prepare))
  await load(run, plan)
  await finishLoaded(run, plan)
  // Whoever cancelled during the last steps was told that the import is cancelled.
  await run.checkpoint()
  const finished = await selectImport(db, account, row.id)
  if (finished) await run.onCompleted(account, finished)
  const now = new Date()
  await updateImport(db, account, row.id, {
    status: 'completed',
    phase: null,
    phase_progress: 1,
    recovery_error: null,
    last_activity_at: now,
    ...(row.generate_purl && { purl_status: 'completed' as const, purl_last_activity_at: now }),
  })
  // Nobody has to wait for this; should it not be done, PostgreSQL does it by itself a minute later.
  const analyze = plan.path === 'events' ? analyzeEvents : analyzeContacts
  if (plan.rows >= rowsWorthAnalyzing) await timed(run, 'analyze', () => analyze(db, account))
}

async function load(run: ImportRun, plan: AnyPlan): Promise<void> {
  switch (plan.path) {
    case 'direct':
      await timed(run, 'load', () => loadDirectly(run, plan))
      break
    case 'staged':
      await timed(run, 'stage', () => stageFile(run, plan))
      await timed(run, 'match', () => matchStage(run, plan))
      await timed(run, 'load', () => loadFromStage(run, plan))
      break
    case 'events':
      await timed(run, 'stage', () => stageEvents(run, plan))
      await timed(run, 'match', () => matchStagedEvents(run, plan))
      await timed(run, 'load', () => loadEvents(run, plan))
      break
  }
}

// Below this what the planner knows stays good enough.
const rowsWorthAnalyzing = 10_000

/** Says in the log how long a step took: where the time of a slow import goes. */
async function timed<T>({ log, account, row }: ImportRun, step: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  log.info({ account, import: row.id, step, milliseconds: Math.round(performance.now() - start) }, 'import step')
  return result
}

/** What loaded contacts need to be whole, also when the import is cancelled half-way: keys, indexes, no working tables. */
async function finishLoaded(run: ImportRun, plan: AnyPlan): Promise<void> {
  if (plan.path === 'direct') await timed(run, 'identify', () => identifyLoaded(run, plan))
  await timed(run, 'index', () => (plan.path === 'events' ? finishEvents(run, plan) : buildIndexes(run, plan)))
  await dropStage(run.database.db, run.account, run.row.id, plan)
}

/** A reason that lies with the file or its owner ends the import; anything else is worth another try. */
async function failOrRetry(run: ImportRun, error: unknown): Promise<void> {
  const { account, row } = run
  if (error instanceof ImportCancelled) return reject(run, account, row, cancelledByUser)
  if (error instanceof FileRefused) return reject(run, account, row, error.message)
  if (error instanceof FileMissing) {
    return reject(run, account, row, `The uploaded file "${row.file_path}" is no longer there. Upload it again.`)
  }
  const brokenIndex = await describeBrokenIndex(run.database.db, account, error)
  if (brokenIndex) return reject(run, account, row, brokenIndex)
  if (error instanceof JobInterrupted) {
    // In good order: not an attempt that failed.
    await updateImport(run.database.db, account, row.id, { stalled_attempts: 0 })
    throw error
  }
  // If the database itself is away this fails as well; the job queue then tries again all the same.
  await updateImport(run.database.db, account, row.id, {
    status: 'recovery',
    recovery_error: reasonOf(error),
    last_activity_at: new Date(),
  })
  throw error
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return isOutOfResources(error) ? `The database has no room left: ${text}` : `The import was interrupted: ${text}`
}

async function reject(
  deps: ImportDeps,
  account: AccountId,
  row: ImportRow,
  reason: string,
  isLastTry = false,
): Promise<void> {
  const { db } = deps.database
  const current = (await selectImport(db, account, row.id)) ?? row
  const checkpoint = async () => {}
  if (current.plan) {
    await finishLoaded({ ...deps, account, row: current, checkpoint }, current.plan).catch((error: unknown) => {
      // What cannot be finished after so many tries must not keep the import from ending, and others from starting.
      if (!isLastTry) throw error
      deps.log.error({ err: error, account, import: row.id }, 'an import could not be finished')
    })
  }
  await updateImport(db, account, row.id, {
    status: 'rejected',
    phase: null,
    recovery_error: reason,
    last_activity_at: new Date(),
    ...(row.generate_purl && { purl_status: 'rejected' as const }),
  })
}
