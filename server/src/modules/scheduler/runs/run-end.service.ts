import type { AccountId } from '@portico/contract/accounts'
import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import type { Db } from '#platform/database.ts'
import { type RunEnd, updateRunEnded } from './runs.queries.ts'

/**
 * Ends the run of a job, in the transaction that ends the job; without effect for a job that no cron has started. The
 * module that does the work of a consumer calls it.
 */
export async function runEnded(tx: Db, account: AccountId, consumer: ConsumerCode, end: RunEnd): Promise<void> {
  await updateRunEnded(tx, account, consumer, end)
}
