import type { AccountId } from '@portico/contract/accounts'
import { type CronTiming, dueTimesBetween, startOf } from '@portico/domain/scheduler/cron-times'
import type { ConsumerCode, Instruction } from '@portico/contract/scheduler/instructions'
import { runComments } from '@portico/contract/scheduler/scheduler-messages'
import { selectOwnHolder } from '#access'
import { type Db, inTransaction } from '#platform/database.ts'
import { hasNoRecoveryLeft, noRecoveryLeftReason, retryPauseMs } from '#platform/jobs/job-runs.ts'
import type { StoredAttempt } from '../tables.ts'
import { insertRuns } from '../runs/runs.queries.ts'
import { nextDueColumns, timesOfNewCron } from './cron-timing.ts'
import { countCronsOf, insertCron, selectNow, updateCronRow } from './crons.queries.ts'
import { type EndedRun, insertEndedRuns } from './seed-crons.queries.ts'

/** A cron of the demo: it began on its first day, and its runs since then have ended. */
export type SeededCron = {
  name: string
  consumer: ConsumerCode
  timing: CronTiming
  instruction: Instruction
  /** Records of its first run; each later one has a few more. */
  records: number
  isTerminated?: boolean
}

/** Adds crons with the history of their runs to an account that has none. Safe to repeat. */
export async function seedCrons(
  db: Db,
  account: AccountId,
  author: { id: string; email: string },
  crons: readonly SeededCron[],
): Promise<void> {
  await inTransaction(db, async (tx) => {
    if ((await countCronsOf(tx, account)) > 0) return
    for (const cron of crons) await seedCron(tx, account, author, cron)
  })
}

async function seedCron(
  tx: Db,
  account: AccountId,
  author: { id: string; email: string },
  { name, consumer, timing, instruction, records, isTerminated = false }: SeededCron,
): Promise<void> {
  const id = crypto.randomUUID()
  const now = await selectNow(tx)
  const past = dueTimesBetween(timing, 0, now.getTime())
  const createdAt = Math.min(startOf(timing), now.getTime()) - dayMs
  const { first, last } = timesOfNewCron(timing, now.getTime(), createdAt)
  await insertCron(tx, account, {
    id,
    consumer,
    name,
    emails: author.email,
    expression: timing.cron,
    zone: timing.cronTZ,
    starts: timing.cronStart,
    ends: timing.cronEnd ?? null,
    repeats: timing.cronRepeat ?? null,
    instruction: JSON.stringify(instruction),
    holder: await selectOwnHolder(tx, account, author.id),
    author: author.email,
    created_at: new Date(createdAt),
    updated_at: now,
    ...nextDueColumns(timing, first),
    next_sequence: past.length + 1,
    last_due_at: last === null ? null : new Date(last),
  })
  await insertEndedRuns(
    tx,
    account,
    past.map((dueAt, at) => endedRun(id, dueAt, at, { records, runs: past.length })),
  )
  if (isTerminated) await updateCronRow(tx, account, id, { terminated_at: now, next_due_at: null })
  else if (first !== null) {
    await insertRuns(tx, account, [{ cronId: id, consumer, dueAt: first, sequence: past.length + 1, state: 'made' }])
  }
}

const dayMs = 86_400_000

type Trouble = Pick<EndedRun, 'comment' | 'omission'> & {
  /** Attempts that failed before the last one. */
  recoveries?: number
}

const connectionLost = 'The connection to the database was lost.'

/** Runs that did not succeed at once, by position, for crons with many runs: one of each kind. */
const troubles: Record<number, Trouble> = {
  3: { comment: runComments.missed, omission: 'missed' },
  6: { comment: runComments.skipped, omission: 'skipped' },
  9: { comment: noRecoveryLeftReason(connectionLost), omission: null, recoveries: Number.POSITIVE_INFINITY },
  12: { comment: runComments.overlapping, omission: 'overlapping' },
  15: { comment: null, omission: null, recoveries: 1 },
}
const noTrouble: Trouble = { comment: null, omission: null }
const manyRuns = 25

function endedRun(
  cronId: string,
  dueAt: number,
  at: number,
  { records, runs }: { records: number; runs: number },
): EndedRun {
  const { comment, omission, recoveries = 0 } = (runs < manyRuns ? null : troubles[at]) ?? noTrouble
  const status = comment === null ? 'completed' : 'terminated'
  const run = { cronId, dueAt, sequence: at + 1, status, comment, omission } as const
  if (omission !== null) return { ...run, endedAt: dueAt, attempts: [], records: null }
  const written = comment === null ? records + at * 3 : null
  const attempts = attemptsOf({ dueAt, recoveries, seconds: 4 + (at % 7), status, records: written, error: comment })
  return { ...run, attempts, endedAt: Date.parse(attempts.at(-1)?.endedAt ?? ''), records: written }
}

type SeededAttempts = { dueAt: number; recoveries: number; seconds: number } & Pick<EndedRun, 'status' | 'records'> & {
    error: string | null
  }

/**
 * The attempts that failed because the database was unavailable, with the pauses of the scheduler, and the last
 * attempt.
 */
function attemptsOf({ dueAt, recoveries, seconds, status, records, error }: SeededAttempts): StoredAttempt[] {
  const attempt = (start: number, end: number) => ({
    startedAt: new Date(start).toISOString(),
    endedAt: new Date(end).toISOString(),
  })
  const attempts: StoredAttempt[] = []
  let start = dueAt
  for (let recovery = 0; recovery < recoveries && !hasNoRecoveryLeft(recovery); recovery++) {
    attempts.push({ ...attempt(start, start), status: 'recovery', processedRecords: null, error: connectionLost })
    start += Math.round(retryPauseMs(recovery))
  }
  const end = status === 'completed' ? start + seconds * 1000 : start
  return [...attempts, { ...attempt(start, end), status, processedRecords: records, error }]
}
