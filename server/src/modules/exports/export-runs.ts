import type { AccountId } from '@portico/contract/accounts'
import { runEnded } from '#scheduler'
import type { Db } from '#platform/database.ts'
import { cancelledByUser } from '#platform/jobs/job-runs.ts'
import type { ExportRow } from './exports.queries.ts'

/**
 * Notifies the scheduler that an export has ended, in the transaction that ends it. Most exports are not started by a
 * cron.
 */
export async function endRun(tx: Db, account: AccountId, row: ExportRow, hasDeliveries = false): Promise<void> {
  const isOk = row.status === 'completed'
  await runEnded(tx, account, 'EXPORT', {
    jobId: row.id,
    isOk,
    records: Number(row.processed_records),
    reason: isOk ? null : row.recovery_error,
    isNotified: !isOk && row.recovery_error !== cancelledByUser,
    delivers: hasDeliveries,
  })
}
