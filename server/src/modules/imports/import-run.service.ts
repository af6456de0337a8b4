import type { AccountId } from '@portico/contract/accounts'
import { FileMissing } from '#platform/storage.ts'
import { isOutOfResources } from '#platform/database.ts'
import {
  cancelledByUser,
  claimOf,
  type FailureReason,
  failOrRetry,
  hasEnded,
  isStalled,
  lockJob,
} from '#platform/job-runs.ts'
import { JobInterrupted } from '#platform/jobs.ts'
import { countUpContactsVersion } from '#accounts'
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
import type { ImportDeps, ImportRun } from './import-context.ts'
import { prepareImport } from './import-prepare.service.ts'
import { buildIndexes, identifyLoaded, loadDirectly, loadFromStage } from './loading/import-load.service.ts'
import { matchStage, stageFile } from './loading/import-stage.service.ts'
import { type ImportRow, selectImport, updateClaimed, updateImport } from './imports.queries.ts'
import type { ImportPlan } from './import-plan.ts'
import { FileRefused } from './reading/source-text-refused.ts'
import { dropStage } from './loading/stage.queries.ts'

type AnyPlan = ImportPlan | EventPlan

/** A user cancelled the import. */
class ImportCancelled extends Error {}

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
  const release = await lockJob(deps.database, account, importId)
  try {
    const row = await claim(deps, account, importId)
    if (!row) return
    const run: ImportRun = { ...deps, account, row, checkpoint: checkpointOf(deps, account, importId, signal) }
    try {
      await runSteps(run)
    } catch (error) {
      await endFailedAttempt(run, error)
    }
  } finally {
    release()
  }
}

/** Claims the import. Returns null when there is nothing (more) to do. */
async function claim(deps: ImportDeps, account: AccountId, importId: number): Promise<ImportRow | null> {
  const { db } = deps.database
  const before = await selectImport(db, account, importId)
  if (!before || hasEnded(before.status)) return null
  const now = new Date()
  const claimed = claimOf(before)
  const isFirst = claimed.status === 'processing'
  const row = await updateClaimed(db, account, before, {
    ...claimed,
    last_activity_at: now,
    stalled_attempts: before.stalled_attempts + 1,
    ...(isFirst && { started_at: now }),
    ...(before.generate_purl && { purl_status: isFirst ? ('waiting' as const) : ('recovery' as const) }),
  })
  // Cancelled at this moment.
  if (!row) return null
  if (!isStalled(before.stalled_attempts)) return row
  await reject(
    deps,
    account,
    row,
    row.recovery_error ?? 'The worker stopped again and again while reading this file.',
    true,
  )
  return null
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
  // Its last worker may have stopped between a commit and the next line.
  await countUpContactsVersion(db, account)
  const prepare = (): Promise<AnyPlan> => (row.kind === 'events' ? prepareEvents(run) : prepareImport(run))
  const plan = row.plan ?? (await timed(run, 'examine', prepare))
  await load(run, plan)
  await finishLoaded(run, plan)
  // Anyone who cancelled during the last steps was told that the import is cancelled.
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
  await countUpContactsVersion(db, account)
  // No one has to wait for this; should it not be done, PostgreSQL does it by itself a minute later.
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

async function endFailedAttempt(run: ImportRun, error: unknown): Promise<void> {
  const { account, row } = run
  const { db } = run.database
  await failOrRetry({
    isInterrupted: error instanceof JobInterrupted,
    explain: () => explain(run, error),
    release: () => updateImport(db, account, row.id, { stalled_attempts: 0 }),
    reject: (reason) => reject(run, account, row, reason),
    retry: async (reason) => {
      // If the database itself is away this fails as well; the queue then tries again all the same.
      await updateImport(db, account, row.id, {
        status: 'recovery',
        recovery_error: reason,
        last_activity_at: new Date(),
      })
      throw error
    },
  })
}

/** What lies with the file or its owner is final. */
async function explain({ database, account, row }: ImportRun, error: unknown): Promise<FailureReason> {
  if (error instanceof ImportCancelled) return { reason: cancelledByUser, isFinal: true }
  if (error instanceof FileRefused) return { reason: error.message, isFinal: true }
  if (error instanceof FileMissing) {
    return { reason: `The uploaded file "${row.file_path}" is no longer there. Upload it again.`, isFinal: true }
  }
  const brokenIndex = await describeBrokenIndex(database.db, account, error)
  return brokenIndex ? { reason: brokenIndex, isFinal: true } : { reason: reasonOf(error), isFinal: false }
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
