import type { AccountId } from '@portico/contract/accounts'
import { familyOfAccount } from '#accounts'
import type { Db } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { chooseJob } from './delivery.jobs.ts'
import type { DeliverySettings } from './delivery-secrets.ts'

/**
 * Enqueues an attempt at a delivery. A parent account and its sub-accounts are one holder: slow receivers of one company
 * must not take all places, however many accounts it has.
 */
export async function enqueueAttempt(
  db: Db,
  jobs: Jobs,
  account: AccountId,
  { id, settings }: { id: string; settings: DeliverySettings },
  options: { notBefore?: Date } = {},
): Promise<void> {
  const holder = `account ${await familyOfAccount(db, account)}`
  await jobs.enqueue(db, chooseJob(settings), { account, deliveryId: id }, { ...options, holder })
}
