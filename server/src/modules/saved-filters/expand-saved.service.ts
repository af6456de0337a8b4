import { contactsApi } from '@portico/contract/contacts'
import type { Stages } from '@portico/contract/filter'
import type { AccountId } from '@portico/contract/accounts'
import type { Action } from '@portico/contract/route'
import { actingHolder } from '#credentials'
import { expandPredefined, type FindPredefined } from '#filters'
import { AppError } from '#platform/app-error.ts'
import type { Database, Db } from '#platform/database.ts'
import type { Caller, RequestParts } from '#platform/http/context.ts'
import { findVisible, searchWith, stagesOfRow } from './saved-filters.service.ts'
import type { SavedFilterRow } from './saved-filters.queries.ts'

/** A request that may name saved filters, and its sender. */
export type FilterUse = {
  pool: Database['pool']
  account: AccountId
  caller: Pick<Caller, 'can'>
  access: Action
  /** The request with these stages in place of its own. */
  requestWith: (stages: Stages) => RequestParts
}

/**
 * Puts the stages of saved filters in place of their names. The caller must be allowed to ask for these stages themselves;
 * else each filter acts as the identity that saved it, which must be allowed to search with it now.
 * @throws invalid_filter for a filter that is gone or uses itself; not_allowed
 */
export async function expandSaved(db: Db, use: FilterUse, stages: Stages): Promise<Stages> {
  const used = new Map<string, SavedFilterRow>()
  const expanded = await expandPredefined(stages, noting(db, use.account, used))
  if (used.size === 0 || use.caller.can(use.access, use.requestWith(expanded))) return expanded
  for (const row of used.values()) {
    const reason = await savedRefusal(use.pool, row)
    if (reason !== null)
      throw new AppError('not_allowed', undefined, `You may not use the saved filter "${row.name}". ${reason}`)
  }
  return expanded
}

/** Like `savedFilterStages`; notes each filter that is found, those within others as well. */
function noting(db: Db, account: AccountId, used: Map<string, SavedFilterRow>): FindPredefined {
  return async (id) => {
    const row = await findVisible(db, account, id)
    if (!row) return null
    used.set(row.id, row)
    const { account_id: owner } = row
    return owner === account ? stagesOfRow(row) : expandPredefined(stagesOfRow(row), noting(db, owner, used))
  }
}

/** Why the identity that saved a filter may not search with it in the filter's account; null if it may. */
async function savedRefusal(pool: Database['pool'], row: SavedFilterRow): Promise<string | null> {
  if (row.holder === null) return 'It is not known with which rights it was saved. Save it again.'
  const acting = await actingHolder(pool, row.account_id, row.holder)
  if ('refusal' in acting) return acting.refusal
  const isAllowed = acting.caller.can(contactsApi.listOffers.access, searchWith(stagesOfRow(row)))
  return isAllowed ? null : 'The identity that saved it may not search with it either.'
}
