import type { AccountId } from '@portico/contract/accounts'
import { runComments } from '@portico/contract/scheduler/scheduler-messages'
import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import { type Database, type Db, inTransaction } from '#platform/database.ts'
import type { Consumers, JobState } from '../consumers.ts'
import { consumerOf } from '../crons/found-cron.ts'
import { lockUnsettledRuns, updateDelivered } from './due.queries.ts'
import { isServerAway } from '#platform/citus/server-away.ts'
import { inSavepoint } from '#platform/rows/savepoint.ts'
import type { LeftOut } from './left-out.ts'
import { onReachableAccounts } from './reachable-accounts.ts'
import { updateRunEnded } from './runs.queries.ts'

const batchSize = 500
/** A job reports its own end; after this time without a report, its state is checked. */
const silentMs = 60_000

type Unsettled = Awaited<ReturnType<typeof lockUnsettledRuns>>[number]

/**
 * Compares unended runs and deliveries with the jobs of their consumers, and ends those that have. An account for which this
 * fails is left out for a while.
 */
export async function settleRuns({ db }: Database, consumers: Consumers, leftOut: LeftOut<AccountId>): Promise<void> {
  await onReachableAccounts((away, turn) =>
    inTransaction(db, async (tx) => {
      const runs = await lockUnsettledRuns(tx, silentMs, batchSize, [...away, ...leftOut.ids()])
      const groups = Map.groupBy(runs, (run) => `${run.consumer} ${run.account_id}`)
      for (const group of groups.values()) {
        const [first] = group
        if (!first) continue
        turn.account = first.account_id
        await inSavepoint(tx, () => settleGroup(tx, consumers, group)).catch((error: unknown) => {
          if (isServerAway(error)) throw error
          leftOut.failed(first.account_id, error)
        })
      }
    }),
  )
}

/** Settles runs of one account and consumer. */
async function settleGroup(tx: Db, consumers: Consumers, runs: readonly Unsettled[]): Promise<void> {
  const [first] = runs
  if (!first) return
  const { account_id: account, consumer } = first
  const ids = runs.flatMap(({ job_id: id }) => id ?? [])
  const states = await consumerOf(consumers, consumer).states(tx, account, ids)
  for (const run of runs) {
    const state = run.job_id === null ? undefined : states.get(run.job_id)
    if (run.status === 'processing') await settleJob(tx, account, consumer, run, state)
    else await settleDeliveries(tx, account, run, state)
  }
}

async function settleJob(
  tx: Db,
  account: AccountId,
  consumer: ConsumerCode,
  { job_id: jobId }: Unsettled,
  state: JobState | undefined,
): Promise<void> {
  if (jobId === null || state?.status === 'running') return
  await updateRunEnded(tx, account, consumer, {
    jobId,
    isOk: state?.status === 'completed',
    records: state?.records ?? 0,
    reason: state ? state.reason : 'What it made is gone.',
    isNotified: state?.status !== 'completed',
    delivers: (state?.deliveries.length ?? 0) > 0,
  })
}

async function settleDeliveries(
  tx: Db,
  account: AccountId,
  { id }: Unsettled,
  state: JobState | undefined,
): Promise<void> {
  const deliveries = state?.deliveries ?? []
  if (!deliveries.every(({ status }) => status === 'completed' || status === 'rejected')) return
  const rejected = deliveries.find(({ status }) => status === 'rejected')
  await updateDelivered(tx, account, id, rejected ? runComments.undelivered(rejected.result) : null)
}
