import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountId } from '@portico/contract/accounts'
import { accountTimeZone, countUpContactsVersion, countUpFieldsVersion } from '#accounts'
import { recordAudit } from '#audit'
import { selectChangedContacts, selectLastChange } from '#contact-edits'
import {
  addFilledColumn,
  analyzeContacts,
  type CatalogueRow,
  countAllContacts,
  deletePartsOfDeleted,
  deleteTextsOfDeleted,
  lockColumns,
  lockField,
  lockRetype,
  nextColumn,
  retypeJobs,
  type RetypeRow,
  selectRetype,
  toContactField,
  updateFieldColumn,
  updateRetype,
} from '#contacts'
import { type Database, type Db, isLockTimeout, setLocally } from '#platform/database.ts'
import { endColumns, updateJobRow } from '#platform/jobs/job-rows.ts'
import { type AttemptEnd, AttemptLost, JobRefused, spentReason, systemFailureReason } from '#platform/jobs/job-runs.ts'
import { type JobAttempt, JobInterrupted } from '#platform/jobs/jobs.ts'
import { claimJob, runAttempt } from '#platform/jobs/run-attempt.ts'
import type { Logger } from '#platform/log.ts'
import { nextVersion } from '#platform/rows/versions.ts'
import { outdateFullTextIndex } from '#search'
import { fieldWasDeleted } from './field-deletes.service.ts'
import { convertNext, convertSome, type Conversion } from './retype-values.ts'

type Deps = { database: Database; log: Logger }
type Run = Deps & { account: AccountId; id: number; signal: AbortSignal; attempt: number }

// Shorter than PostgreSQL's deadlock timeout, and short for those who wait behind this lock.
const lockTimeout = '200ms'
// Those who read or write contacts wait behind each try, so that they get rarer.
const [firstRetryMs, lastRetryMs] = [300, 5000]
/** Contacts that are converted while no one can change single ones; more are converted before. */
const mostAtTheEnd = 500

/**
 * Changes the type of a field: fills a new column in batches, each a transaction with the progress, while everything reads and
 * writes the old one; then the catalogue names the new one, in a moment. Safe to interrupt and repeat at any place.
 */
export async function runRetype(
  deps: Deps,
  account: AccountId,
  id: number,
  signal: AbortSignal,
  attempt?: JobAttempt,
): Promise<void> {
  const { db } = deps.database
  await runAttempt<RetypeRow>(
    {
      claim: () =>
        claimJob(
          attempt,
          () => selectRetype(db, account, id),
          (before, claimed) =>
            updateJobRow(db, account, retypeJobs, before, { ...claimed, last_activity_at: new Date() }),
        ),
      work: async (row) => {
        const spent = spentReason(row, row.recovery_error ?? 'The worker stopped repeatedly.')
        if (spent !== null) throw new JobRefused(spent)
        await runSteps({ ...deps, account, id, signal, attempt: row.recovery_count }, row)
      },
      recoveries: (row) => row.recovery_count,
      explain: (error) => ({ reason: systemFailureReason(error), isFinal: false }),
      onEnd: (row, end) => endAttempt(db, account, row, end, attempt),
    },
    signal,
  )
}

async function runSteps(run: Run, row: RetypeRow): Promise<void> {
  const { database, account } = run
  const { db } = database
  if (row.column_no === null) {
    await updateRetype(db, account, run.id, { total: await countAllContacts(db, account) })
    await inTurn(run, (tx, current) => addColumn(tx, account, current))
  }
  while (await inTurn(run, (tx, current) => fillNext(tx, account, current)));
  const filled = await inTurn(run, async (tx, current) => conversionOf(tx, account, current))
  await deleteTextsOfDeleted(db, account, filled.to.column)
  await deletePartsOfDeleted(db, account, filled.to.part)
  await analyzeContacts(db, account)
  while (!(await inTurn(run, (tx, current) => finish(tx, account, current)))) await catchUp(run)
  // Of contacts that were deleted while the last ones were converted.
  await deleteTextsOfDeleted(db, account, filled.to.column)
}

/** Runs one step in a transaction that no other attempt takes, again while it would have to wait for others. */
async function inTurn<T>(run: Run, step: (tx: Db, row: RetypeRow) => Promise<T>): Promise<T> {
  const { database, account, id, signal, log } = run
  for (let retryMs = firstRetryMs; ; retryMs = Math.min(2 * retryMs, lastRetryMs)) {
    if (signal.aborted) throw new JobInterrupted()
    try {
      return await database.db.transaction().execute(async (tx) => {
        await setLocally(tx, 'lock_timeout', lockTimeout)
        const row = await lockRetype(tx, account, id)
        const isOurs = row && ['processing', 'recovery'].includes(row.status) && row.recovery_count === run.attempt
        if (!isOurs) throw new AttemptLost()
        return step(tx, row)
      })
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      log.info({ account, retype: id }, 'a change of a type waits for others that read or write contacts')
      await sleep(retryMs)
    }
  }
}

/** Adds the column that is filled, while no one changes single contacts: all later changes of contacts are known by their number. */
async function addColumn(tx: Db, account: AccountId, row: RetypeRow): Promise<void> {
  if (row.column_no !== null) return
  await lockColumns(tx, account)
  const { column, part } = await nextColumn(tx, account)
  await addFilledColumn(tx, account, { column, part, type: row.reading.type })
  const last = await selectLastChange(tx, account)
  await updateRetype(tx, account, row.id, { column_no: column, part, last_change: last })
}

/** Returns whether there was something left to convert. */
async function fillNext(tx: Db, account: AccountId, row: RetypeRow): Promise<boolean> {
  const { contacts, kept, last } = await convertNext(tx, await conversionOf(tx, account, row), row.position)
  if (last === null) return false
  await updateRetype(tx, account, row.id, {
    position: last,
    done: Number(row.done) + contacts,
    kept: Number(row.kept) + kept,
    last_activity_at: new Date(),
  })
  return true
}

/** @throws JobRefused where the field was deleted, or has the type already */
async function conversionOf(tx: Db, account: AccountId, row: RetypeRow): Promise<Conversion> {
  const { column_no: column, part, reading } = row
  if (column === null || part === null) throw new Error('a type is changed without a column')
  const field = await requireShown(tx, account, row)
  const timeZone = await accountTimeZone(tx, account)
  return { account, field: toContactField(field), reading, timeZone, to: { column, part, type: reading.type } }
}

async function requireShown(tx: Db, account: AccountId, row: RetypeRow): Promise<CatalogueRow> {
  const field = await lockField(tx, account, row.field)
  if (!field || field.deleted_at !== null) throw new JobRefused(fieldWasDeleted)
  if (field.type === row.reading.type) throw new JobRefused('The field has this type already.')
  return field
}

/** Converts contacts that were changed since the column was made, so that few are left for the end. */
async function catchUp(run: Run): Promise<void> {
  const { account } = run
  const { ids, last } = await inTurn(run, async (tx, row) => {
    await lockColumns(tx, account)
    return { ids: await selectChangedContacts(tx, account, row.last_change), last: await selectLastChange(tx, account) }
  })
  for (let at = 0; at < ids.length; at += mostAtTheEnd) {
    const some = ids.slice(at, at + mostAtTheEnd)
    const convert = (after: string) =>
      inTurn(run, async (tx, row) => convertSome(tx, await conversionOf(tx, account, row), some, after))
    for (let after: string | null = '0'; after !== null; after = await convert(after));
  }
  await inTurn(run, (tx, row) => updateRetype(tx, account, row.id, { last_change: last }))
}

/** Has the catalogue name the new column, while no one changes single contacts. False where too much changed since it was filled. */
async function finish(tx: Db, account: AccountId, row: RetypeRow): Promise<boolean> {
  await lockColumns(tx, account)
  const changed = await selectChangedContacts(tx, account, row.last_change)
  if (changed.length > mostAtTheEnd) return false
  const conversion = await conversionOf(tx, account, row)
  const last = await convertSome(tx, conversion, changed, '0')
  if (last !== null && (await convertSome(tx, conversion, changed, last)) !== null) return false
  const { column, part, type } = conversion.to
  const field = await requireShown(tx, account, row)
  const by = { actor: row.creator, address: null, ...(row.via && { via: row.via }) }
  await updateFieldColumn(tx, account, field.id, { type, column, part, ...nextVersion(field, by, ['type']) })
  const now = new Date()
  if (field.type === 'string' || type === 'string') await outdateFullTextIndex(tx, account, now)
  await updateRetype(tx, account, row.id, {
    status: 'completed',
    recovery_error: null,
    last_activity_at: now,
    left_column: field.column_no ?? field.id,
    left_part: field.part,
  })
  await recordAudit(tx, {
    account,
    ...by,
    action: 'field changed',
    subject: field.name,
    details: { id: field.id, type: { old: field.type, new: type }, reading: row.reading, keptTexts: Number(row.kept) },
  })
  await countUpFieldsVersion(tx, account)
  await countUpContactsVersion(tx, account)
  return true
}

async function endAttempt(
  db: Db,
  account: AccountId,
  row: RetypeRow,
  end: AttemptEnd,
  attempt: JobAttempt | undefined,
): Promise<boolean> {
  const current = await selectRetype(db, account, row.id)
  const left = end.kind === 'rejected' ? { left_column: current?.column_no, left_part: current?.part } : {}
  const change = { ...endColumns(row, end, attempt), ...left }
  return (await updateJobRow(db, account, retypeJobs, row, change)) !== undefined
}
