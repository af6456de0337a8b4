import type { AccountId } from '@portico/contract/accounts'
import type { Updateable } from 'kysely'
import { isClusterWhole } from '#platform/citus/cluster-workers.ts'
import { isServerAway } from '#platform/citus/server-away.ts'
import { inTransaction, isCancelled } from '#platform/database.ts'
import { claimOf, failOrRetry, hasEnded, isStalled, lockJob, uncounted } from '#platform/jobs/job-runs.ts'
import { type JobAttempt, JobInterrupted } from '#platform/jobs/jobs.ts'
import { countUpContactsVersion } from '#accounts'
import { analyzeContacts } from '#contacts'
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
import { explain, ImportCancelled, ImportNotAllowed } from './import-reason.ts'
import { importRefusal } from './import-rights.ts'
import { prepareImport } from './import-prepare.service.ts'
import { buildIndexes, identifyLoaded, loadDirectly, loadFromStage } from './loading/import-load.service.ts'
import { matchStage, stageFile } from './loading/import-stage.service.ts'
import { type ImportRow, type ImportTable, selectImport, updateClaimed, updateImport } from './imports.queries.ts'
import type { ImportPlan } from './import-plan.ts'
import { dropStage } from './loading/stage.queries.ts'

type AnyPlan = ImportPlan | EventPlan

/**
 * Runs an import to its end, or resumes one whose worker died: every step knows what is already committed. A file that
 * cannot be imported ends it as `rejected` with the reason. System failures (database down, disk full) leave it in
 * `recovery` and are thrown, so that the job is retried.
 */
export async function runImport(
  deps: ImportDeps,
  account: AccountId,
  importId: number,
  signal: AbortSignal,
  attempt?: JobAttempt,
): Promise<void> {
  const release = await lockJob(deps.database, account, importId)
  try {
    const row = await claim(deps, account, importId, attempt)
    if (!row) return
    const checkpoint = checkpointOf(deps, account, importId, signal)
    const run: ImportRun = { ...deps, account, row, checkpoint, isClusterWhole: await isClusterWhole(deps.database.db) }
    try {
      await runSteps(run)
    } catch (error) {
      await endFailedAttempt(run, error, signal, attempt)
    }
  } finally {
    release()
  }
}

/** `stalled_attempts` of an import that the worker put down in good order: going on with it is no recovery. */
const putDown = -1

const isPutDown = (row: ImportRow): boolean => row.stalled_attempts === putDown

/** Claims the import. Returns null when there is nothing left to do. */
async function claim(
  deps: ImportDeps,
  account: AccountId,
  importId: number,
  attempt?: JobAttempt,
): Promise<ImportRow | null> {
  const { db } = deps.database
  const before = await selectImport(db, account, importId)
  if (!before || hasEnded(before.status)) return null
  const now = new Date()
  const { status, recovery_count } = before
  const claimed = isPutDown(before) ? { status, recovery_count } : claimOf(before, attempt)
  const isFirst = before.status === 'waiting'
  const row = await updateClaimed(db, account, before, {
    ...claimed,
    last_activity_at: now,
    stalled_attempts: Math.max(0, before.stalled_attempts) + (attempt?.isAfterOutage ? 0 : 1),
    ...(isFirst && { started_at: now }),
    ...(before.generate_purl &&
      !isPutDown(before) && { purl_status: isFirst ? ('waiting' as const) : ('recovery' as const) }),
  })
  // Cancelled between the two statements.
  if (!row) return null
  if (attempt?.isAfterOutage || !isStalled(before.stalled_attempts)) return row
  await reject(
    deps,
    account,
    row,
    row.recovery_error ?? 'The worker stopped repeatedly while processing this file.',
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
  await requireStillAllowed(run)
  // Its last worker may have stopped between a commit and the next line.
  await countUpContactsVersion(db, account)
  const prepare = (): Promise<AnyPlan> => (row.kind === 'events' ? prepareEvents(run) : prepareImport(run))
  const plan = row.plan ?? (await timed(run, 'examine', prepare))
  await load(run, plan)
  await finishLoaded(run, plan)
  // A cancellation during the last steps was confirmed to the user, so it must take effect.
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
  // After completion, so that users need not wait for it. If it fails, autovacuum does the same a minute later.
  const analyze = plan.path === 'events' ? analyzeEvents : analyzeContacts
  if (plan.rows >= rowsWorthAnalyzing) await timed(run, 'analyze', () => analyze(db, account))
}

/** A right that was lost while the import waited, or since its last attempt, is lost to it too. */
async function requireStillAllowed({ database, account, row }: ImportRun): Promise<void> {
  const reason = await importRefusal(database, account, row)
  if (reason === null) return
  const kept =
    row.processed_records > 0
      ? ` What was imported before stays: ${row.processed_records.toLocaleString('en-US')} rows.`
      : ''
  throw new ImportNotAllowed(
    `The person or program that asked for this import may not make it any more. ${reason}${kept}`,
  )
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

// Below this, the planner's statistics stay good enough.
const rowsWorthAnalyzing = 10_000

/** Logs how long a step took, to explain slow imports. */
async function timed<T>({ log, account, row }: ImportRun, step: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  log.info({ account, import: row.id, step, milliseconds: Math.round(performance.now() - start) }, 'import step')
  return result
}

/** Finishes loaded contacts, also after a cancellation: creates keys and indexes, drops working tables. */
async function finishLoaded(run: ImportRun, plan: AnyPlan): Promise<void> {
  if (plan.path === 'direct') await timed(run, 'identify', () => identifyLoaded(run, plan))
  await timed(run, 'index', () => (plan.path === 'events' ? finishEvents(run, plan) : buildIndexes(run, plan)))
  await dropWorkingTables(run, plan)
}

/** While a server of a cluster is away, no table can be dropped: `dropLeftTables` does it once all are back. */
async function dropWorkingTables({ database, account, row, log }: ImportRun, plan: AnyPlan): Promise<void> {
  try {
    await dropStage(database.db, account, row.id, plan)
  } catch (error) {
    if (!isServerAway(error)) throw error
    log.warn({ err: error, account, import: row.id }, 'working tables of an import are dropped later')
  }
}

async function endFailedAttempt(
  run: ImportRun,
  error: unknown,
  signal: AbortSignal,
  attempt?: JobAttempt,
): Promise<void> {
  const { account, row } = run
  const { db } = run.database
  // Only this attempt: after an outage of the database another may have begun.
  const change = (columns: Updateable<ImportTable>) => updateClaimed(db, account, row, columns)
  await failOrRetry({
    error,
    // A long statement is cancelled when the worker stops.
    isInterrupted: error instanceof JobInterrupted || (signal.aborted && isCancelled(error)),
    explain: () => explain(run, error),
    release: async () => void (await change({ stalled_attempts: putDown })),
    reject: (reason) => reject(run, account, row, reason),
    retry: async (reason, counts) => {
      await change({
        status: 'recovery',
        recovery_error: reason,
        last_activity_at: new Date(),
        ...(!counts && {
          recovery_count: uncounted(row, attempt),
          stalled_attempts: Math.max(0, row.stalled_attempts - (attempt?.isAfterOutage ? 0 : 1)),
        }),
      })
      throw error
    },
  })
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
    const run = { ...deps, account, row: current, checkpoint, isClusterWhole: await isClusterWhole(db) }
    await finishLoaded(run, current.plan).catch((error: unknown) => {
      // After the last attempt, clean-up that keeps failing must not block this import from ending and others from
      // starting.
      if (!isLastTry) throw error
      deps.log.error({ err: error, account, import: row.id }, 'an import could not be finished')
    })
  }
  await inTransaction(db, async (tx) => {
    await updateImport(tx, account, row.id, {
      status: 'rejected',
      phase: null,
      recovery_error: reason,
      last_activity_at: new Date(),
      ...(row.generate_purl && { purl_status: 'rejected' as const }),
    })
    const ended = await selectImport(tx, account, row.id)
    if (ended) await deps.onRejected(tx, account, ended)
  })
}
