import type { AccountId } from '@portico/contract/accounts'
import type { RemoteAccessUsage } from '@portico/contract/remote-access'
import type { Db } from '#platform/database.ts'
import type { ProxyWatch } from '../door/proxy-watch.ts'
import { refusalTexts } from '../refusal-texts.ts'
import { requireAccess } from '../remote-accesses.service.ts'
import { selectDays, selectOrigins } from './usage.queries.ts'

const days = 30

/** @throws not_found */
export async function getUsage(
  db: Db,
  account: AccountId,
  id: string,
  proxies: Pick<ProxyWatch, 'wasSeen'>,
): Promise<RemoteAccessUsage> {
  await requireAccess(db, account, id)
  const [counted, origins] = [await selectDays(db, account, id, days), await selectOrigins(db, account, id)]
  return {
    days: counted.map(({ not_found: notFound, ...figures }) => ({ ...figures, notFound })),
    refusedOrigins: origins.map(({ refused_at: at, ...refused }) => ({
      ...refused,
      at: at.toISOString(),
      text: refusalTexts[refused.refusal],
    })),
    hasUntrustedProxy: proxies.wasSeen(),
  }
}
