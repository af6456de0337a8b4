import type { AccountId } from '@portico/contract/accounts'
import type { Delivery } from '@portico/contract/notifications'
import { listDeliveries, resendDelivery } from '#delivery'
import { runDeliversAgain } from '#scheduler'
import type { Actor } from '#platform/actor.ts'
import type { Db } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { getExport } from './exports.service.ts'

/** Returns the deliveries of an export's file, with every attempt. @throws not_found */
export async function listExportDeliveries(db: Db, account: AccountId, exportId: string): Promise<Delivery[]> {
  const { _id: id } = await getExport(db, account, exportId)
  return listDeliveries(db, account, { kind: 'export', id })
}

/** @throws not_found; not_ready while a delivery is in progress, or when there is no file to deliver */
export async function resendExport(
  deps: { db: Db; jobs: Jobs },
  account: AccountId,
  by: Actor,
  { exportId, deliveryId }: { exportId: string; deliveryId: string },
  change?: NonNullable<Parameters<typeof resendDelivery>[4]>['change'],
): Promise<Delivery> {
  const { _id: id } = await getExport(deps.db, account, exportId)
  return resendDelivery(
    deps,
    account,
    by,
    { subject: { kind: 'export', id }, id: deliveryId },
    {
      ...(change && { change }),
      also: (tx) => runDeliversAgain(tx, account, 'EXPORT', id),
    },
  )
}
