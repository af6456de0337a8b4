import type { AccountId } from '@portico/contract/accounts'
import { contactsApi } from '@portico/contract/contacts'
import type { Stages } from '@portico/contract/filter'
import type { SegmentComparison } from '@portico/contract/segments'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { everyRule } from '@portico/domain/pipeline/row-rules'
import type { QueryContext } from '#filters'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { expandSaved, savedFilterStages, searchWith } from '#saved-filters'
import { openContactReader } from '#search'
import { choosingStages, naming } from './segment-stages.ts'

/** The caller of a call about the people of segments. */
export type Asking = QueryContext & { pool: Database['pool']; caller: Caller }

/**
 * The number of contacts of a segment among those that the caller may see: what they would find by searching for it.
 * @throws not_found; not_allowed unless they may search with its stages; invalid_filter, timed_out
 */
export async function countSegment(asking: Asking, account: AccountId, id: string): Promise<number> {
  const { stages, rows } = await readAllowed(asking, account, id)
  return openReader(asking, account, rows).count(stages)
}

/** How the contacts of two segments overlap. @throws as for the count of either */
export async function compareSegments(
  asking: Asking,
  account: AccountId,
  id: string,
  otherId: string,
): Promise<SegmentComparison> {
  const [one, other] = [await readAllowed(asking, account, id), await readAllowed(asking, account, otherId)]
  const reader = openReader(asking, account, everyRule(one.rows, other.rows))
  const { both, onlyOne, onlyOther } = await reader.compare(one.stages, other.stages)
  return { both, onlyThis: onlyOne, onlyOther }
}

/**
 * The stages that choose the people of a segment, and the contacts among which the caller may search with them.
 * @throws not_found; not_allowed unless they may; invalid_filter
 */
export async function readAllowed(
  { db, pool, caller }: Asking,
  account: AccountId,
  id: string,
): Promise<{ stages: Pipeline; rows: Stages | null }> {
  const { access } = contactsApi.listOffers
  if ((await savedFilterStages(db, account, id)) === null) throw new AppError('not_found')
  requireCall(caller, contactsApi.listOffers, searchWith(naming(id)))
  const use = { pool, account, caller, access, requestWith: searchWith }
  const stages = choosingStages((await expandSaved(db, use, naming(id))).stages)
  return { stages, rows: caller.rows(contactsApi.listOffers, searchWith(writePipeline(stages) as Stages)) }
}

/** Reads those of the contacts that `rows` let through. */
export const openReader = ({ db, signal, caller }: Asking, account: AccountId, rows: Stages | null) =>
  openContactReader({ db, ...(signal && { signal }), facts: caller.facts, rows }, account)

/** @throws the reason why the caller may not make a call */
export function requireCall(caller: Caller, ...asked: Parameters<Caller['refusal']>): void {
  const refusal = caller.refusal(...asked)
  if (refusal) throw new AppError(refusal.code, refusal.details, refusal.message)
}
