import { schedulerMessages } from '@portico/contract/scheduler/scheduler-messages'
import type { Cron } from '@portico/contract/scheduler/crons'
import { messages } from '@portico/contract/messages'
import { runComments } from '@portico/contract/scheduler/scheduler-messages'
import { recordAudit } from '#audit'
import { AppError, invalidField } from '#platform/app-error.ts'
import { inTransaction } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { nextVersion, requireVersion } from '#platform/rows/versions.ts'
import { insertRunNow, insertRuns, isRunWaiting, selectRunAt } from '../runs/runs.queries.ts'
import type { CronRow } from '../tables.ts'
import { mayTakeOver } from './cron-on-wire.ts'
import { dueTimesAfter } from './cron-timing.ts'
import { selectNow, updateCronRow } from './crons.queries.ts'
import { type CronContext, type CronDeps, getCron } from './crons.service.ts'
import { consumerOf, holderForRuns, instructionOf, requireActiveCron, requireCron } from './found-cron.ts'
import { savingCall } from './saved-cron.ts'

/** Pauses a cron: its due times are skipped until it is resumed. @throws not_found, cron_terminated */
export async function pauseCron(context: CronContext, id: string, reason: string): Promise<Cron> {
  const { db, account, caller, actor } = context
  await inTransaction(db, async (tx) => {
    const { name } = await requireActiveCron(tx, account, id)
    const paused_at = await selectNow(tx)
    await updateCronRow(tx, account, id, { paused_at, paused_by: caller.email, pause_reason: reason })
    await recordAudit(tx, { account, ...actor, action: 'cron paused', subject: name, details: { id, reason } })
  })
  return getCron(context, id)
}

/** @throws not_found, cron_terminated, not_allowed without the right to its runs */
export async function resumeCron(deps: CronDeps, context: CronContext, id: string): Promise<Cron> {
  const { db, account, actor } = context
  await holderFor(deps, context, id)
  await inTransaction(db, async (tx) => {
    const cron = await requireActiveCron(tx, account, id)
    await updateCronRow(tx, account, id, { paused_at: null, paused_by: null, pause_reason: null })
    await recordAudit(tx, { account, ...actor, action: 'cron resumed', subject: cron.name, details: { id } })
  })
  return getCron(context, id)
}

/**
 * Runs a cron in addition to its due times, even while it is paused. Returns the id of the run.
 * @throws not_found, cron_terminated, not_allowed, run_waiting while another run waits for the previous one
 */
export async function runCronNow(deps: CronDeps, context: CronContext, id: string): Promise<string> {
  const { db, account, actor } = context
  await holderFor(deps, context, id)
  return inTransaction(db, async (tx) => {
    const cron = await requireActiveCron(tx, account, id)
    if (await isRunWaiting(tx, account, id)) throw new AppError('run_waiting')
    const run = await insertRunNow(tx, account, cron)
    await recordAudit(tx, { account, ...actor, action: 'cron run now', subject: cron.name, details: { id, run } })
    return run
  })
}

/**
 * Skips an upcoming run of a cron. Returns the id of the run, which is terminated.
 * @throws not_found, cron_terminated, invalid_input for a time at which it is not due
 */
export async function skipRun(context: CronContext, id: string, date: Date): Promise<string> {
  const { db, account, actor } = context
  return inTransaction(db, async (tx) => {
    const cron = await requireActiveCron(tx, account, id)
    const sequence = sequenceOf(cron, date.getTime())
    const before = await selectRunAt(tx, account, id, date)
    const isToCome = before === undefined || (before.status === 'waiting' && before.ready_at === null)
    if (sequence === null || !isToCome) throw invalidField('date', messages.invalid)
    const skipped = { cronId: id, consumer: cron.consumer, dueAt: date.getTime(), sequence }
    await insertRuns(tx, account, [{ ...skipped, state: 'skipped', comment: runComments.skipped }])
    const details = { id, date: date.toISOString() }
    await recordAudit(tx, { account, ...actor, action: 'cron run skipped', subject: cron.name, details })
    const run = await selectRunAt(tx, account, id, date)
    if (!run) throw new Error('A skipped run was not stored.')
    return run.id
  })
}

/** Number of upcoming due times that can be skipped. */
const timesAhead = 10_000

/**
 * Returns the position of a moment among the cron's due times, from 1; null if it is not a due time or too far ahead.
 */
function sequenceOf(cron: CronRow, moment: number): number | null {
  const next = cron.next_due_at?.getTime()
  if (next === undefined || moment < next) return null
  if (moment === next) return cron.next_sequence
  const index = dueTimesAfter(cron, next, timesAhead).indexOf(moment)
  return index < 0 ? null : cron.next_sequence + 1 + index
}

/**
 * Lets a cron run with the rights of the caller. Saving a form that the former author still has open does not revert
 * this.
 * @throws not_found, cron_terminated, not_allowed, newer_version
 */
export async function takeOverCron(
  deps: CronDeps,
  context: CronContext,
  id: string,
  version: number | undefined,
): Promise<Cron> {
  const { db, account, caller, actor } = context
  const found = await requireCron(db, account, id)
  if (!found.terminated_at) requireTakeOver(found, caller)
  const holder = await holderFor(deps, context, id, { isTakenOver: true })
  await inTransaction(db, async (tx) => {
    const cron = await requireActiveCron(tx, account, id)
    requireTakeOver(cron, caller)
    requireVersion(cron, version)
    const updated_at = await selectNow(tx)
    const next = nextVersion(cron, actor, ['author'])
    await updateCronRow(tx, account, id, { holder, author: caller.email, updated_at, ...next })
    const details = { id, old: cron.author, new: caller.email }
    await recordAudit(tx, { account, ...actor, action: 'cron taken over', subject: cron.name, details })
  })
  return getCron(context, id)
}

function requireTakeOver(cron: CronRow, caller: Caller): void {
  if (!mayTakeOver(cron, caller)) throw new AppError('not_allowed', undefined, schedulerMessages.contactAdmin)
}

/**
 * Returns the holder whose rights apply to runs that the caller requests; when taking over, as if the caller saved the
 * cron. Called before a transaction, not within it: each request would hold one connection and wait for another.
 * @throws not_found, cron_terminated, not_allowed
 */
export async function holderFor(
  { consumers }: CronDeps,
  { db, account, caller }: CronContext,
  id: string,
  { isTakenOver = false } = {},
): Promise<string> {
  const cron = await requireCron(db, account, id)
  if (cron.terminated_at) throw new AppError('cron_terminated')
  const consumer = consumerOf(consumers, cron.consumer)
  const saving = isTakenOver ? savingCall({ ...cron, updated_at: await selectNow(db) }) : null
  return holderForRuns(account, caller, consumer, { instruction: instructionOf(cron), saving })
}
