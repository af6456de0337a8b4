import { runComments } from '@portico/contract/scheduler/scheduler-messages'
import { type Database, type Db, inTransaction } from '#platform/database.ts'
import { dueTimesUntil, nextDueColumns, timingOf } from '../crons/cron-timing.ts'
import { lockDueCrons, updateNextDue } from './due.queries.ts'
import { insertRuns, type NewRun } from './runs.queries.ts'

/** Crons processed in one transaction. */
const batchSize = 500
/** Due times of one cron processed in one transaction, after a long time without a worker. */
const timesAtOnce = 2000

type DueCron = Awaited<ReturnType<typeof lockDueCrons>>[number]

/**
 * Processes due crons: creates their runs, and the next one. A due time has one run, however many workers do this and
 * whenever they die. Of several due times of a cron, the latest starts and the others were missed.
 * @returns the number of due crons
 */
export async function takeUpDueCrons({ db }: Database): Promise<number> {
  return inTransaction(db, async (tx) => {
    const crons = await lockDueCrons(tx, batchSize)
    if (crons.length === 0) return 0
    const taken = crons.map((cron) => ({ cron, ...takeUp(cron) }))
    for (const [account, ofAccount] of Map.groupBy(taken, ({ cron }) => cron.account_id)) {
      await insertRuns(
        tx,
        account,
        ofAccount.flatMap(({ runs }) => runs),
      )
    }
    await updateNext(tx, taken)
    return crons.length
  })
}

type Taken = { runs: NewRun[]; nextDueAt: number | null; nextSequence: number }

function takeUp(cron: DueCron): Taken {
  const first = cron.next_due_at.getTime()
  const now = cron.now.getTime()
  const { times, next } = dueTimesUntil(cron, first, now, timesAtOnce)
  const due = [first, ...times]
  // More due times than fit: none of these is the latest, and the next call continues.
  const isCutOff = next !== null && next <= now
  const from = { cronId: cron.id, consumer: cron.consumer }
  const runs = due.map((dueAt, index): NewRun => {
    const isLatest = index === due.length - 1 && !isCutOff
    return { ...from, dueAt, sequence: cron.next_sequence + index, ...stateOf(cron, isLatest) }
  })
  const nextSequence = cron.next_sequence + due.length
  if (next !== null && !isCutOff) runs.push({ ...from, dueAt: next, sequence: nextSequence, state: 'made' })
  return { runs, nextDueAt: next, nextSequence }
}

function stateOf(
  cron: DueCron,
  isLatest: boolean,
): { state: 'ready' } | { state: 'skipped' | 'missed' | 'overlapping'; comment: string } {
  if (cron.paused_at) return { state: 'skipped', comment: runComments.paused }
  if (!isLatest) return { state: 'missed', comment: runComments.missed }
  return cron.is_waiting ? { state: 'overlapping', comment: runComments.overlapping } : { state: 'ready' }
}

async function updateNext(tx: Db, taken: readonly (Taken & { cron: DueCron })[]): Promise<void> {
  await updateNextDue(
    tx,
    taken.map(({ cron, nextDueAt, nextSequence }) => ({
      ...nextDueColumns(timingOf(cron), nextDueAt),
      id: cron.id,
      next_sequence: nextSequence,
    })),
  )
}
