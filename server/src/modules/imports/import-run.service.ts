import type { AccountId } from '@portico/contract/accounts'
import type { Updateable } from 'kysely'
import { isClusterWhole } from '#platform/citus/cluster-workers.ts'
import { isServerAway } from '#platform/citus/server-away.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { completeJobRow, endColumns, requireNotCancelled, updateJobRow } from '#platform/jobs/job-rows.ts'
import { type AttemptEnd, AttemptLost, isStalled, JobRefused } from '#platform/jobs/job-runs.ts'
import { type JobAttempt, JobInterrupted } from '#platform/jobs/jobs.ts'
import { claimJob, runLocked } from '#platform/jobs/run-attempt.ts'
import { countUpContactsVersion } from '#accounts'
import { setTimeout as sleep } from 'node:timers/promises'
import { analyzeContacts, hasUnendedRetype, recognizeCodes } from '#contacts'
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
import { refusalOf } from './import-mismatch.ts'
import { explain } from './import-reason.ts'
import { importRefusal } from './import-rights.ts'
import { prepareImport } from './import-prepare.service.ts'
import { identifyLoaded } from './loading/identify.service.ts'
import { buildIndexes, loadDirectly, loadFromStage } from './loading/import-load.service.ts'
import { matchStage, stageFile } from './loading/import-stage.service.ts'
import { importJobs, type ImportRow, type ImportTable, selectImport, updateImport } from './imports.queries.ts'
import type { ImportPlan } from './import-plan.ts'
import { dropStage } from './loading/stage.queries.ts'

type AnyPlan = ImportPlan | EventPlan

/**
 * Runs an import to its end, or resumes one whose worker died: every step knows what is already committed. An import
 * whose file cannot be imported ends as `rejected` with the reason.
 */
export async function runImport(
  deps: ImportDeps,
  account: AccountId,
  importId: number,
  signal: AbortSignal,
  attempt?: JobAttempt,
): Promise<void> {
  const { db } = deps.database
  await runLocked<ImportRow>(
    deps.database,
    { account, kind: 'import', id: importId },
    {
      claim: () => claim(db, account, importId, attempt),
      work: async (row) => {
        if (hasStalled(row)) throw new JobRefused(row.recovery_error ?? stopsEveryTime)
        const checkpoint = () => requireToGoOn(db, account, importId, signal)
        const record = (changes: Updateable<ImportTable>) => updateImport(db, account, importId, changes)
        const isWhole = await isClusterWhole(db)
        await runSteps({ ...deps, account, row, record, checkpoint, signal, isClusterWhole: isWhole })
      },
      explain: (error, row) => explain(db, account, row, error),
      onEnd: (row, end) => endAttempt(deps, account, row, end, attempt),
    },
    signal,
  )
}

/** `stalled_attempts` of an import that the worker suspended in an orderly way: continuing it is no recovery. */
const putDown = -1

const isPutDown = (row: ImportRow): boolean => row.stalled_attempts === putDown

/** Returns whether a claimed import has had too many attempts without progress. */
const hasStalled = (row: ImportRow): boolean => isStalled(row.stalled_attempts - 1)

const stopsEveryTime = 'The worker stopped repeatedly while processing this file.'

function claim(
  db: Db,
  account: AccountId,
  importId: number,
  attempt: JobAttempt | undefined,
): Promise<ImportRow | null> {
  return claimJob(
    attempt,
    () => selectImport(db, account, importId),
    (before, claimed) => {
      const now = new Date()
      const isFirst = before.status === 'waiting'
      return updateJobRow(db, account, importJobs, before, {
        ...(!isPutDown(before) && claimed),
        last_activity_at: now,
        stalled_attempts: Math.max(0, before.stalled_attempts) + (attempt?.isAfterOutage ? 0 : 1),
        ...(isFirst && { started_at: now }),
        ...(before.generate_purl &&
          !isPutDown(before) && { purl_status: isFirst ? ('waiting' as const) : ('recovery' as const) }),
      })
    },
  )
}

async function requireToGoOn(db: Db, account: AccountId, importId: number, signal: AbortSignal): Promise<void> {
  const row = await selectImport(db, account, importId)
  if (!row) throw new AttemptLost()
  requireNotCancelled(row)
  if (signal.aborted) throw new JobInterrupted()
}

async function runSteps(run: ImportRun): Promise<void> {
  const { account, row } = run
  const { db } = run.database
  await untilTypesRest(run)
  await requireStillAllowed(run)
  // The previous worker may have stopped between a commit and the next line.
  await countUpContactsVersion(db, account)
  const prepare = (): Promise<AnyPlan> => (row.kind === 'events' ? prepareEvents(run) : prepareImport(run))
  const plan = row.plan ?? (await timed(run, 'examine', prepare))
  await load(run, plan)
  await finishLoaded(run, plan)
  if (plan.path !== 'events') await recognizeCodes(db, account)
  await run.checkpoint()
  const finished = await selectImport(db, account, row.id)
  if (finished) await run.onCompleted(account, finished)
  // A cancellation up to here was confirmed to the user, so it must take effect.
  await completeJobRow(db, account, importJobs, row, {
    phase: null,
    phase_progress: 1,
    ...(row.generate_purl && { purl_status: 'completed' as const, purl_last_activity_at: new Date() }),
  })
  await countUpContactsVersion(db, account)
  // After completion: users need not wait for it. If it fails, autovacuum does the same a minute later.
  const analyze = plan.path === 'events' ? analyzeEvents : analyzeContacts
  if (plan.rows >= rowsWorthAnalyzing) await timed(run, 'analyze', () => analyze(db, account))
}

const typesRetryMs = 300
// Longer than changing a type takes with a few thousand contacts.
const placeHeldMs = 5000

/**
 * Waits while the type of a field is being changed, which only begins when no import is unended. After a few seconds
 * the import gives up its place to others: the queue then tries it again, after at most 15 seconds.
 */
async function untilTypesRest({ database: { db }, account, checkpoint }: ImportRun): Promise<void> {
  for (const end = performance.now() + placeHeldMs; ;) {
    await checkpoint()
    if (!(await hasUnendedRetype(db, account))) return
    if (performance.now() > end)
      throw new JobInterrupted('The type of a field is being changed; the import goes on after that.')
    await sleep(typesRetryMs)
  }
}

/** Checks that the right was not lost while the import waited, or since its last attempt. */
async function requireStillAllowed({ database, account, row }: ImportRun): Promise<void> {
  const reason = await importRefusal(database, account, row)
  if (reason === null) return
  const kept =
    row.processed_records > 0
      ? ` What was imported before stays: ${row.processed_records.toLocaleString('en-US')} rows.`
      : ''
  throw new JobRefused(`The person or program that asked for this import may not make it any more. ${reason}${kept}`)
}

async function load(run: ImportRun, plan: AnyPlan): Promise<void> {
  const { row } = run
  switch (plan.path) {
    case 'direct':
      await timed(run, 'load', () => loadDirectly(run, plan))
      break
    case 'staged':
      await timed(run, 'stage', () => stageFile(run, plan, refusalOf(row, plan).refuse))
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

// With fewer rows, the planner's statistics are still good enough.
const rowsWorthAnalyzing = 10_000

/** Logs how long a step took, to explain slow imports. */
async function timed<T>({ log, account, row }: ImportRun, step: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  log.info({ account, import: row.id, step, milliseconds: Math.round(performance.now() - start) }, 'import step')
  return result
}

/** Finishes loaded contacts, even after a cancellation: creates keys and indexes, drops working tables. */
async function finishLoaded(run: ImportRun, plan: AnyPlan): Promise<void> {
  if (plan.path === 'direct') await timed(run, 'identify', () => identifyLoaded(run, plan))
  await timed(run, 'index', () => (plan.path === 'events' ? finishEvents(run, plan) : buildIndexes(run, plan)))
  await dropWorkingTables(run, plan)
}

/** While a server of a cluster is away, no table can be dropped: `dropLeftTables` does it when all are back. */
async function dropWorkingTables({ database, account, row, log }: ImportRun, plan: AnyPlan): Promise<void> {
  try {
    await dropStage(database.db, account, row.id, plan)
  } catch (error) {
    if (!isServerAway(error)) throw error
    log.warn({ err: error, account, import: row.id }, 'working tables of an import are dropped later')
  }
}

/** Records how an attempt ended without success, after the steps that complete the data of a rejected import. */
async function endAttempt(
  deps: ImportDeps,
  account: AccountId,
  row: ImportRow,
  end: AttemptEnd,
  attempt: JobAttempt | undefined,
): Promise<boolean> {
  if (end.kind === 'rejected') await finishRejected(deps, account, row)
  return inTransaction(deps.database.db, async (tx) => {
    const ended = await updateJobRow(tx, account, importJobs, row, endedColumns(row, end, attempt))
    if (ended && end.kind === 'rejected') await deps.onRejected(tx, account, ended)
    return ended !== undefined
  })
}

function endedColumns(row: ImportRow, end: AttemptEnd, attempt: JobAttempt | undefined): Updateable<ImportTable> {
  if (end.kind === 'interrupted') return { stalled_attempts: putDown }
  const columns = endColumns(row, end, attempt)
  if (end.kind === 'rejected') {
    return { ...columns, phase: null, ...(row.generate_purl && { purl_status: 'rejected' as const }) }
  }
  const begun = attempt?.isAfterOutage ? 0 : 1
  return end.counts ? columns : { ...columns, stalled_attempts: Math.max(0, row.stalled_attempts - begun) }
}

async function finishRejected(deps: ImportDeps, account: AccountId, row: ImportRow): Promise<void> {
  const { db } = deps.database
  const current = (await selectImport(db, account, row.id)) ?? row
  if (!current.plan) return
  const checkpoint = async () => {}
  const record = (changes: Updateable<ImportTable>) => updateImport(db, account, row.id, changes)
  const { signal } = new AbortController()
  const run = { ...deps, account, row: current, record, checkpoint, signal, isClusterWhole: await isClusterWhole(db) }
  await finishLoaded(run, current.plan).catch((error: unknown) => {
    // After the last attempt, cleanup that keeps failing must not prevent this import from ending and others from
    // starting.
    if (!hasStalled(row)) throw error
    deps.log.error({ err: error, account, import: row.id }, 'an import could not be finished')
  })
}
