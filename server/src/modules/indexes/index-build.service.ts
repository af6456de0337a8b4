import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountId } from '@portico/contract/accounts'
import { countUpRemoteAccessVersion } from '#accounts'
import { type ContactField, listContactFields } from '#contacts'
import {
  type Database,
  type Db,
  inTransaction,
  isCancelled,
  isOutOfResources,
  isUniqueViolation,
  withConnection,
} from '#platform/database.ts'
import { type AttemptEnd, isStalled, JobRefused, stalledReason } from '#platform/jobs/job-runs.ts'
import { type JobAttempt, JobInterrupted, type Jobs } from '#platform/jobs/jobs.ts'
import { runAttempt } from '#platform/jobs/run-attempt.ts'
import type { Logger } from '#platform/log.ts'
import { openContactSource } from '#filters'
import { exampleStart, shortened } from './broken-index.service.ts'
import { columnsOf, typesOf } from './index-key.ts'
import { reconcileIndexJob } from './indexes.jobs.ts'
import {
  deleteIndexRow,
  type IndexRow,
  selectIndex,
  selectIndexes,
  selectLookupIndexes,
  updateIndex,
} from './indexes.queries.ts'
import {
  createConcurrently,
  dropConcurrently,
  type IndexColumn,
  lookupIndex,
  orderedIndex,
  type PhysicalIndex,
  physicalName,
  prefixIndex,
  prefixName,
  releaseIndexLock,
  selectIsValid,
  selectRepeated,
  trigramIndex,
  trigramName,
  tryIndexLock,
} from './physical-indexes.queries.ts'
import { requireTrigrams } from './trigram-support.ts'
import { runWatched, type WatchedConnection, watchedConnection } from './watched-statement.ts'

type Deps = { database: Database; log: Logger }

/** One run for one index. Builds and drops use its one connection. */
type Attempt = Pick<JobAttempt, 'isAfterOutage'>
type IndexRun = Deps & WatchedConnection & Attempt & { account: AccountId; id: number; signal: AbortSignal }

const lockRetryMs = 300

/**
 * Makes the database match the row of an index: built, or gone. Can be stopped anywhere and run again: a half-built index
 * is dropped and built again, a complete one is kept.
 */
export async function reconcileIndex(
  deps: Deps,
  account: AccountId,
  id: number,
  signal: AbortSignal,
  { isAfterOutage }: Attempt = { isAfterOutage: false },
): Promise<void> {
  await withConnection(deps.database, async ({ db }) => {
    // Polls, because waiting in the database would deadlock: a build waits for all older queries, this one included.
    while (!(await tryIndexLock(db, account))) {
      if (signal.aborted) throw new JobInterrupted()
      await sleep(lockRetryMs)
    }
    const run = { ...deps, account, id, signal, isAfterOutage, ...(await watchedConnection(db)) }
    await build(run)
    // The deletion may have been requested during the build.
    if ((await selectIndex(db, account, id))?.state === 'deleting') await remove(run)
    // On failure the connection is closed, which releases the lock too.
    await releaseIndexLock(db, account)
  })
}

/** A claimed build: the row as it was before, the columns of the index, and the types of their fields. */
type Build = { row: IndexRow; columns: IndexColumn[]; builtFor: string }

async function build(run: IndexRun): Promise<void> {
  const attempt = {
    claim: () => claim(run),
    work: (claimed: Build) => buildUnlessDeleted(run, claimed),
    explain: (error: unknown, { columns }: Build) => {
      const reason = refusal(error, columns)
      return { reason: reason ?? '', isFinal: reason !== null }
    },
    onEnd: async (claimed: Build, end: AttemptEnd) => {
      await endFailedBuild(run, claimed, end)
      return true
    },
  }
  await runAttempt<Build>(attempt, run.signal)
}

async function claim({ database: { db }, account, id, isAfterOutage }: IndexRun): Promise<Build | null> {
  const row = await selectIndex(db, account, id)
  if (row?.state !== 'building') return null
  const columns = columnsOf(row, await fieldsById(db, account))
  const builtFor = typesOf(columns)
  const change = { attempts: row.attempts + (isAfterOutage ? 0 : 1) }
  return (await updateIndex(db, account, id, 'building', change)) ? { row, columns, builtFor } : null
}

async function buildUnlessDeleted(run: IndexRun, claimed: Build): Promise<void> {
  const { database, account, id, signal } = run
  try {
    await buildAndComplete(run, claimed)
  } catch (error) {
    const isStopped = isCancelled(error) && !signal.aborted
    // A build that is stopped for a deletion has not failed: the deletion follows.
    if (!isStopped || (await selectIndex(database.db, account, id))?.state !== 'deleting') throw error
  }
}

async function buildAndComplete(run: IndexRun, { row, columns, builtFor }: Build): Promise<void> {
  const { database, account, id } = run
  if (!run.isAfterOutage && isStalled(row.attempts)) throw new JobRefused(stalledReason())
  if (row.built_for !== builtFor) {
    // An index built for other types is useless. Recorded after it is gone: a next attempt keeps an index that is valid.
    await dropConcurrently(run.db, account, nameOf(row, columns))
    await updateIndex(database.db, account, id, 'building', { built_for: builtFor })
  }
  await buildAll(run, row, columns)
  const now = columnsOf(row, await fieldsById(database.db, account))
  if (typesOf(now) !== builtFor) throw new Error('a field has changed its type while it was being indexed')
  await inTransaction(database.db, async (tx) => {
    await updateIndex(tx, account, id, 'building', { state: 'ready', reason: null, attempts: 0 })
    if (row.kind === 'lookup') await countUpRemoteAccessVersion(tx, account)
  })
}

async function endFailedBuild(run: IndexRun, { row, columns }: Build, end: AttemptEnd): Promise<void> {
  const { database, account, id, log } = run
  if (end.kind === 'rejected') {
    log.warn({ err: end.error, account, index: id }, 'an index could not be built')
    await dropParts(run, row, columns)
    // No one asked for it: searches go on without, and another day's search tries again.
    if (row.kind === 'trigram') await deleteIndexRow(database.db, account, id)
    else await updateIndex(database.db, account, id, 'building', { state: 'failed', reason: end.reason })
  } else if (end.kind === 'interrupted' || !end.counts) {
    await updateIndex(database.db, account, id, 'building', { attempts: row.attempts })
  }
}

async function fieldsById(db: Db, account: AccountId): Promise<Map<number, ContactField>> {
  return new Map((await listContactFields(db, account)).map((field) => [field.id, field]))
}

/** Returns why a retry would be useless, or null if it may succeed. */
function refusal(error: unknown, columns: readonly IndexColumn[]): string | null {
  if (isOutOfResources(error)) return 'The database is out of disk space.'
  if (error instanceof Error && 'code' in error && error.code === entryTooLarge) {
    const names = columns.map(({ field }) => `"${field.name}"`).join(' and ')
    return `A value of ${names} is too long for an index. The limit is about 2,700 bytes.`
  }
  return null
}

// program_limit_exceeded: a value takes more than a third of an index page.
const entryTooLarge = '54000'

async function buildAll(run: IndexRun, row: IndexRow, columns: IndexColumn[]): Promise<void> {
  const { db, account, id } = run
  const first = columns[0]?.field
  if (row.kind === 'lookup') {
    const lookup = lookupIndex(columns)
    if (!(await dropUnlessValid(run, lookup.name))) await buildOne(run, lookup)
    return
  }
  if (row.kind === 'trigram') {
    if (first?.type !== 'string') throw new JobRefused('The field is no text any more.')
    const trigrams = trigramIndex(id, first, await requireTrigrams(db))
    if (!(await dropUnlessValid(run, trigrams.name))) await buildOne(run, trigrams)
    return
  }
  const { reading } = await openContactSource(run.database.db, account, { rows: null })
  const main = orderedIndex(id, columns, row.is_unique, reading.textOrder)
  const isThere = await dropUnlessValid(run, main.name)
  if (!isThere && row.is_unique) await requireNoneRepeated(run, columns)
  if (!isThere) {
    await buildOne(run, main).catch(async (error: unknown) => {
      if (!isUniqueViolation(error)) throw error
      await dropConcurrently(db, account, main.name)
      // Duplicates were added after the check. If they are gone again, the build is retried.
      await requireNoneRepeated(run, columns)
      throw error
    })
  }
  if (first?.type !== 'string') return
  const prefix = prefixIndex(first)
  if (!(await dropUnlessValid(run, prefix.name))) await buildOne(run, prefix)
}

/** Returns whether a valid index exists; drops an invalid one. */
async function dropUnlessValid({ db, account }: IndexRun, name: string): Promise<boolean> {
  const isValid = await selectIsValid(db, account, name)
  if (isValid === false) await dropConcurrently(db, account, name)
  return isValid === true
}

async function requireNoneRepeated(run: IndexRun, columns: readonly IndexColumn[]): Promise<void> {
  const { db, account } = run
  const fields = columns.map(({ field }) => field)
  const repeated = await watching(run, () => selectRepeated(db, account, fields))
  if (!repeated) return
  const names = fields.map(({ name }) => `"${name}"`).join(' and ')
  const example = repeated.example.map((value) => `"${shortened(value)}"`).join(', ')
  const [values, occur] = repeated.values === 1 ? ['1 value', 'occurs'] : [`${repeated.values} values`, 'occur']
  throw new JobRefused(
    `${values} of ${names} ${occur} more than once, in ${repeated.contacts} contacts.${exampleStart}${example} occurs ${repeated.occurs} times.`,
  )
}

async function buildOne(run: IndexRun, index: PhysicalIndex): Promise<void> {
  const { db, account } = run
  await watching(run, () => createConcurrently(db, account, index))
}

/** Runs a long statement; cancels it when the worker stops or the index is no longer wanted. */
async function watching<T>(run: IndexRun, work: () => Promise<T>): Promise<T> {
  const { database, account, id, signal, log } = run
  return runWatched(
    run,
    database.db,
    {
      signal,
      isWanted: async () => (await selectIndex(database.db, account, id))?.state === 'building',
      onTrouble: (error) => log.warn({ err: error, account, index: id }, 'a building index could not be watched'),
    },
    work,
  )
}

async function remove(run: IndexRun): Promise<void> {
  const { database, account, id } = run
  const row = await selectIndex(database.db, account, id)
  if (!row) return
  await dropParts(run, row, columnsOf(row, await fieldsById(database.db, account)))
  await deleteIndexRow(database.db, account, id)
}

/** Drops everything built for an index; the prefix index stays while another index begins with the field. */
async function dropParts(
  { db, database, account, id }: IndexRun,
  row: IndexRow,
  columns: readonly IndexColumn[],
): Promise<void> {
  await dropConcurrently(db, account, nameOf(row, columns))
  if (row.kind !== 'field') return
  const first = columns[0]?.field
  const others = (await selectIndexes(database.db, account)).filter(
    (row) => row.id !== id && row.field_1 === first?.id && (row.state === 'ready' || row.state === 'building'),
  )
  if (first && others.length === 0) await dropConcurrently(db, account, prefixName(first))
}

function nameOf(row: IndexRow, columns: readonly IndexColumn[]): string {
  if (row.kind === 'trigram') return trigramName(row.id)
  return row.kind === 'lookup' ? lookupIndex(columns).name : physicalName(row.id)
}

/** Rebuilds the indexes of fields that have become text, in text order. Call after each import. */
export async function rebuildOutdatedIndexes({ db, jobs }: { db: Db; jobs: Jobs }, account: AccountId): Promise<void> {
  const all = [...(await selectIndexes(db, account)), ...(await selectLookupIndexes(db, account))]
  const rows = all.filter(({ state }) => state === 'ready')
  if (rows.length === 0) return
  const fields = await fieldsById(db, account)
  for (const row of rows) {
    if (row.built_for === typesOf(columnsOf(row, fields))) continue
    await inTransaction(db, async (tx) => {
      const change = { state: 'building' as const, attempts: 0 }
      if (!(await updateIndex(tx, account, row.id, 'ready', change))) return
      await jobs.enqueue(tx, reconcileIndexJob, { account, indexId: row.id })
    })
  }
}
