import { mostBackfills } from '@portico/contract/scheduler/schedules'
import { recordAudit } from '#audit'
import { invalidField } from '#platform/app-error.ts'
import { inTransaction } from '#platform/database.ts'
import { countBackfills, type DueRun, insertBackfills, selectDueRuns } from '../runs/runs.queries.ts'
import type { CronRow } from '../tables.ts'
import { holderFor } from './cron-changes.service.ts'
import { dueTimesUntil } from './cron-timing.ts'
import { selectNow } from './crons.queries.ts'
import type { CronContext, CronDeps } from './crons.service.ts'
import { requireActiveCron } from './found-cron.ts'

/** The due times to run again. `to` is included. */
type Backfill = { from: Date; to: Date; which: 'all' | 'unsuccessful' }

/**
 * Runs past due times of a cron again, each with its own window, one at a time. Returns the ids of the new runs; due
 * times whose run has not ended get none.
 * @throws not_found, cron_terminated, not_allowed as for Run now; invalid_input for no due time or too many
 */
export async function backfillCron(
  deps: CronDeps,
  context: CronContext,
  id: string,
  { from, to, which }: Backfill,
): Promise<string[]> {
  const { db, account, actor } = context
  await holderFor(deps, context, id)
  return inTransaction(db, async (tx) => {
    // Locked: neither a worker nor another request adds runs in the meantime.
    const cron = await requireActiveCron(tx, account, id)
    const now = await selectNow(tx)
    const range = { from, to: to > now ? now : to }
    const runs = await selectDueRuns(tx, account, id, range)
    const wanted = [...dueTimesOf(cron, runs, range)].filter(isOpenFor(runs, which))
    if (wanted.length === 0) throw invalidField('from', 'There is no due time of this cron to run again.')
    const waiting = await countBackfills(tx, account, id)
    if (waiting + wanted.length > mostBackfills) throw invalidField('to', tooMany(waiting))
    const inOrder = wanted.toSorted((one, other) => one - other).map((time) => new Date(time))
    const made = await insertBackfills(tx, account, cron, inOrder)
    const details = { id, from: range.from.toISOString(), to: range.to.toISOString(), which, count: made.length }
    await recordAudit(tx, { account, ...actor, action: 'cron run again', subject: cron.name, details })
    return made
  })
}

const tooMany = (waiting: number): string =>
  `At most ${mostBackfills} due times are run again at a time. ${waiting > 0 ? `${waiting} are waiting already. ` : ''}Choose fewer days.`

/**
 * Returns the due times of a range: those of the cron's timing since it was created, and those that have runs. Times
 * before its creation do not count, even if its timing includes them: repeats are counted from the creation, too.
 */
function dueTimesOf(cron: CronRow, runs: readonly DueRun[], { from, to }: { from: Date; to: Date }): Set<number> {
  // Two more than allowed, plus those that are left out, reveal that there are too many.
  const most = mostBackfills + runs.length + 2
  const first = Math.max(from.getTime(), cron.created_at.getTime())
  const { times } = dueTimesUntil(cron, first - 1, to.getTime(), most)
  return new Set([...times, ...runs.map(({ due_at: dueAt }) => dueAt.getTime())])
}

/**
 * Returns whether a due time can be run again: not during its run, and with `unsuccessful` only if it was not completed
 * and delivered.
 */
function isOpenFor(runs: readonly DueRun[], which: Backfill['which']): (time: number) => boolean {
  const closed = runs.filter(({ status, is_undelivered: isUndelivered }) => {
    if (status === 'completed') return which === 'unsuccessful' && !isUndelivered
    return status !== 'terminated'
  })
  const times = new Set(closed.map(({ due_at: dueAt }) => dueAt.getTime()))
  return (time) => !times.has(time)
}
