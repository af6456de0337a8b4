import type { AccountId } from '@portico/contract/accounts'
import { schedulerApi } from '@portico/contract/scheduler'
import type { Db } from '#platform/database.ts'
import type { StoredSave } from '#platform/http/serving-stored.ts'
import { isUuid } from '#platform/ids.ts'
import type { Consumers } from '../consumers.ts'
import { selectCron } from './crons.queries.ts'
import { consumerOf, instructionOf } from './found-cron.ts'
import { changingCall, savesOf } from './saved-cron.ts'

/**
 * Finds a cron as conditions judge the calls that act on it: by the requests that would save it as it is, also with what selects rows
 * in its runs written out. Null if the account has no such cron.
 */
export async function findCronSave(
  consumers: Consumers,
  { db, account }: { db: Db; account: AccountId },
  id: string,
): Promise<StoredSave | null> {
  const cron = isUuid(id) ? await selectCron(db, account, id) : undefined
  if (!cron) return null
  const calls = await savesOf(account, consumerOf(consumers, cron.consumer), changingCall(cron), instructionOf(cron))
  return { save: schedulerApi.updateCron, requests: calls.map(({ request }) => request) }
}
