import type { AccountId } from '@portico/contract/accounts'
import { type CronTiming, dueTimesBetween } from '@portico/contract/scheduler/cron-times'
import type { ConsumerCode, Instruction } from '@portico/contract/scheduler/instructions'
import { runComments } from '@portico/contract/scheduler/scheduler-messages'
import { type Db, inTransaction } from '#platform/database.ts'
import { insertRuns } from '../runs/runs.queries.ts'
import { timesOfNewCron } from './cron-timing.ts'
import { countCronsOf, insertCron, selectNow, updateCronRow } from './crons.queries.ts'
import { type EndedRun, insertEndedRuns, updateCronIdentity } from './seed-crons.queries.ts'

/** A cron of the demo: it has begun on its first day, and its runs since then have ended. */
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
  const { first, last } = timesOfNewCron(timing, now.getTime())
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
    identity_id: null,
    author: author.email,
    created_at: new Date(Math.min(past[0] ?? now.getTime(), now.getTime()) - dayMs),
    updated_at: now,
    next_due_at: first === null ? null : new Date(first),
    next_sequence: past.length + 1,
    last_due_at: last === null ? null : new Date(last),
  })
  await updateCronIdentity(tx, account, id, author.id)
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

/** Runs of a cron with many, by their place, that did not succeed: one of each kind. */
const troubles: Record<number, Pick<EndedRun, 'comment' | 'omission'>> = {
  3: { comment: runComments.missed, omission: 'missed' },
  6: { comment: runComments.skipped, omission: 'skipped' },
  9: { comment: 'The connection to the database was lost.', omission: null },
  12: { comment: runComments.overlapping, omission: 'overlapping' },
}
const manyRuns = 25

function endedRun(
  cronId: string,
  dueAt: number,
  at: number,
  { records, runs }: { records: number; runs: number },
): EndedRun {
  const run = { cronId, dueAt, sequence: at + 1, seconds: 4 + (at % 7) }
  const trouble = runs < manyRuns ? undefined : troubles[at]
  if (trouble) return { ...run, ...trouble, status: 'terminated', records: null }
  return { ...run, status: 'completed', records: records + at * 3, comment: null, omission: null }
}
