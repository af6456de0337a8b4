import { runComments } from '@portico/contract/scheduler/scheduler-messages'
import { type Database, type Db, inTransaction, isCancelled, isConnectionLost, setLocally } from '#platform/database.ts'
import { inSavepoint } from '#platform/rows/savepoint.ts'
import { dueTimesUntil, nextDueColumns, timingOf } from '../crons/cron-timing.ts'
import { type DueCron, lockDueCrons, updateNextDue } from './due.queries.ts'
import type { LeftOut } from './left-out.ts'
import { insertRuns, type NewRun } from './runs.queries.ts'

/** Crons processed in one transaction. */
const batchSize = 500
/**
 * Due times that are taken up in one transaction, of all accounts together. After a long time without a worker there may be a
 * million; a batch takes less than a second, and runs are started before the next.
 */
const timesAtOnce = 5000
/** In ms. A batch that a database under load cannot store by then is given up, and tried again. */
const statementMs = 10_000

/**
 * Takes up crons that are due: makes their runs, and the one after. A due time has one run, however many workers do this
 * and whenever they die. Of several due times of a cron, the latest starts and the others were missed. Where more are due than
 * one batch takes, accounts have equal shares of it, and so have the crons of an account. A cron that cannot be taken up
 * is left out for a while, and is in the way of no other.
 * @returns how many crons were due
 */
export async function takeUpDueCrons({ db }: Database, leftOut: LeftOut<string>): Promise<number> {
  return inTransaction(db, async (tx) => {
    await setLocally(tx, 'statement_timeout', String(statementMs))
    const crons = await lockDueCrons(tx, batchSize, leftOut.ids())
    const accounts = Map.groupBy(crons, ({ account_id: account }) => account)
    for (const ofAccount of accounts.values()) {
      const most = Math.max(1, Math.floor(timesAtOnce / accounts.size / ofAccount.length))
      await takeUpEach(tx, ofAccount, most, leftOut)
    }
    return crons.length
  })
}

/** Takes up crons of one account together; one by one where that fails. */
async function takeUpEach(tx: Db, crons: readonly DueCron[], most: number, leftOut: LeftOut<string>): Promise<void> {
  try {
    await inSavepoint(tx, () => store(tx, crons, most))
  } catch (error) {
    if (isConnectionLost(error) || isCancelled(error)) throw error
    for (const cron of crons) await leftOut.try(cron.id, () => inSavepoint(tx, () => store(tx, [cron], most)))
  }
}

async function store(tx: Db, crons: readonly DueCron[], most: number): Promise<void> {
  const [first] = crons
  if (!first) return
  const taken = crons.map((cron) => ({ cron, ...takeUp(cron, most) }))
  await insertRuns(
    tx,
    first.account_id,
    taken.flatMap(({ runs }) => runs),
  )
  await updateNext(tx, taken)
}

type Taken = { runs: NewRun[]; nextDueAt: number | null; nextSequence: number }

/** The runs of a cron's due times, at most `most`, and the one to come. */
function takeUp(cron: DueCron, most: number): Taken {
  const first = cron.next_due_at.getTime()
  const now = cron.now.getTime()
  const { times, next } = dueTimesUntil(cron, first, now, most - 1)
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
