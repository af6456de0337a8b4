import type { AccountId } from '@portico/contract/accounts'
import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import type { Db } from '#platform/database.ts'
import { type RunEnd, updateRunDelivering, updateRunEnded } from './runs.queries.ts'

/**
 * Ends the run of a job, in the transaction that ends the job; without effect for a job not started by a cron. Called
 * by the module that does the work of a consumer.
 */
export async function runEnded(tx: Db, account: AccountId, consumer: ConsumerCode, end: RunEnd): Promise<void> {
  await updateRunEnded(tx, account, consumer, end)
}

/**
 * Records that a delivery of a job's file begins again, in the transaction that starts it: its run counts as
 * undelivered until it ends. Without effect for a job not started by a cron.
 */
export async function runDeliversAgain(
  tx: Db,
  account: AccountId,
  consumer: ConsumerCode,
  jobId: string,
): Promise<void> {
  await updateRunDelivering(tx, account, consumer, jobId)
}
