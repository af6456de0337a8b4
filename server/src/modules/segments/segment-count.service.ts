import type { AccountId } from '@portico/contract/accounts'
import { contactsApi } from '@portico/contract/contacts'
import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import type { Stages } from '@portico/contract/filter'
import type { QueryContext } from '#filters'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { expandSaved, savedFilterStages, searchWith } from '#saved-filters'
import { openContactReader } from '#search'
import { choosingStages, naming } from './segment-stages.ts'

type Asking = QueryContext & { pool: Database['pool']; caller: Caller }

/**
 * The number of contacts of a segment among those that the caller may see: what they would find by searching for it.
 * @throws not_found; not_allowed unless they may search with its stages; invalid_filter, timed_out
 */
export async function countSegment(
  { db, signal, pool, caller }: Asking,
  account: AccountId,
  id: string,
): Promise<number> {
  const { access } = contactsApi.listOffers
  if ((await savedFilterStages(db, account, id)) === null) throw new AppError('not_found')
  requireSearch(caller, naming(id))
  const use = { pool, account, caller, access, requestWith: searchWith }
  const choosing = choosingStages(await expandSaved(db, use, naming(id)))
  const rows = caller.rows(contactsApi.listOffers, searchWith(writePipeline(choosing) as Stages))
  return openContactReader({ db, ...(signal && { signal }), facts: caller.facts, rows }, account).count(choosing)
}

function requireSearch(caller: Caller, stages: Stages): void {
  const refusal = caller.refusal(contactsApi.listOffers, searchWith(stages))
  if (refusal) throw new AppError(refusal.code, refusal.details, refusal.message)
}
