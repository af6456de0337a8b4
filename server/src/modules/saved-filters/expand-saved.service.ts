import { contactsApi } from '@portico/contract/contacts'
import type { Stages } from '@portico/contract/filter'
import type { AccountId } from '@portico/contract/accounts'
import type { Action } from '@portico/contract/route'
import { everyRule, isWithinRule } from '@portico/domain/pipeline/row-rules'
import { type NotActing, readHolder } from '#access'
import { actingHolder } from '#credentials'
import { expandPredefined, type FindPredefined } from '#filters'
import { AppError } from '#platform/app-error.ts'
import type { Database, Db } from '#platform/database.ts'
import type { Caller, RequestParts } from '#platform/http/context.ts'
import { findVisible } from './found-filter.ts'
import { expandOfParent, stagesOfRow } from './parent-stages.service.ts'
import { findSaved, searchWith } from './saved-filters.service.ts'
import type { SavedFilterRow } from './saved-filters.queries.ts'

/**
 * The rows that others see with the help of a saved filter: the searches that would show the same rows, and the
 * contacts they search in; null for all contacts.
 */
export type Shown = { requests: readonly RequestParts[]; rows: Stages | null }

/** A request that may name saved filters, and its caller. */
export type FilterUse = {
  pool: Database['pool']
  account: AccountId
  caller: Pick<Caller, 'can' | 'rows'>
  access: Action
  /** Returns the request with these stages instead of its own. */
  requestWith: (stages: Stages) => RequestParts
  /** For work whose result others get, or that runs later. Absent if only the caller gets the result, immediately. */
  shownWith?: (stages: Stages) => Shown
}

/**
 * Stages without names of saved filters. `rows`: the contacts that the caller may see with them, as stages of a filter;
 * null for all. Another identity of the caller may allow these stages than the names.
 */
export type ExpandedStages = { stages: Stages; rows: Stages | null }

/**
 * Replaces the names of saved filters with their stages. The caller must be allowed to request these stages; if others
 * get the result, so must the holders who saved the filters.
 * @throws invalid_filter for a filter that does not exist or uses itself; not_allowed
 */
export async function expandSaved(db: Db, use: FilterUse, stages: Stages): Promise<ExpandedStages> {
  const { caller, access, requestWith } = use
  const used = new UsedFilters()
  const expanded = await used.expand(db, use.account, stages)
  const request = requestWith(expanded)
  const result = { stages: expanded, rows: caller.rows({ access }, request) }
  const [first] = used.rows
  if (!first) return result
  if (!caller.can(access, request)) throw unusable(use.account, first, 'Your policies do not allow what it asks for.')
  await used.requireSavers({ db, pool: use.pool }, use.account, use.shownWith?.(expanded) ?? null)
  return result
}

/** The saved filters that are used, including those within other filters. */
export class UsedFilters {
  readonly #rows = new Map<string, SavedFilterRow>()

  get rows(): SavedFilterRow[] {
    return [...this.#rows.values()]
  }

  /**
   * Replaces the names of filters with their stages.
   * @throws invalid_filter for a filter that does not exist or uses itself
   */
  expand(db: Db, account: AccountId, stages: Stages): Promise<Stages> {
    return expandPredefined(stages, this.#noting(db, account))
  }

  /**
   * If others see the rows (`shown`), makes sure that the holders who saved the filters may still search with them, and
   * for all of these rows in this account: a user who changes a filter must not learn more through the work of others
   * that uses it. If only the caller gets the result, they could have asked for the same themselves, so a filter
   * outlives the person who saved it there; a filter saved by an API credential ends with it everywhere.
   * @throws not_allowed naming the filter, if it is shown in the account
   */
  async requireSavers(deps: Pick<Database, 'db' | 'pool'>, account: AccountId, shown: Shown | null): Promise<void> {
    for (const row of this.rows) {
      const { holder } = row
      // The portal's own filters, and those of earlier releases that have not been saved since.
      if (holder === null) continue
      if (shown === null && readHolder(holder).kind !== 'credential') continue
      const reason =
        (await saverRefusal(deps, account, { ...row, holder })) ??
        (shown && (await shownRefusal(deps, account, { ...row, holder }, shown)))
      if (reason !== null) throw unusable(account, row, reason)
    }
  }

  /** Finds stages like `findSaved`, and records each filter. */
  #noting(db: Db, account: AccountId): FindPredefined {
    return async (id, before) => {
      const row = await findVisible(db, account, id)
      if (!row) return null
      this.#rows.set(row.id, row)
      const { account_id: owner } = row
      if (owner === account) return stagesOfRow(row)
      return expandOfParent(db, account, { row, before, find: this.#noting(db, owner) })
    }
  }
}

/** Names the filter, unless it is one of the parent account that is not shown in this one. */
function unusable(account: AccountId, row: SavedFilterRow, reason: string): AppError {
  const isShown = row.account_id === account || row.show_in_subaccounts
  const filter = isShown ? `The saved filter "${row.name}"` : 'A filter of the parent account that is not shown here'
  return new AppError('not_allowed', undefined, `${filter} cannot be used here. ${reason}`)
}

/** Names who saved the filter in their own account only: people of a sub-account learn nothing about those of the parent. */
const lostRight = (account: AccountId, row: SavedFilterRow, { refusal }: NotActing): string =>
  row.account_id === account
    ? `${refusal} Save it again.`
    : 'The identity that saved it has no right to that here. It has to be saved again in the parent account.'

const searching = contactsApi.listOffers

/** Why the identity that saved a filter may not search with it in the filter's account; null if it may. */
async function saverRefusal(
  { db, pool }: Pick<Database, 'db' | 'pool'>,
  account: AccountId,
  row: SavedFilterRow & { holder: string },
): Promise<string | null> {
  const { account_id: owner, holder } = row
  const acting = await actingHolder(pool, owner, holder)
  if ('refusal' in acting) return lostRight(account, row, acting)
  const stages = await expandPredefined(stagesOfRow(row), findSaved(db, owner))
  return acting.caller.can(searching.access, searchWith(stages))
    ? null
    : 'The identity that saved it may not search with it.'
}

/** Why the identity that saved a filter may not search in an account for the rows shown with it; null if it may. */
async function shownRefusal(
  { pool }: Pick<Database, 'pool'>,
  account: AccountId,
  row: SavedFilterRow & { holder: string },
  { requests, rows }: Shown,
): Promise<string | null> {
  const acting = await actingHolder(pool, account, row.holder)
  if ('refusal' in acting) return lostRight(account, row, acting)
  const { caller } = acting
  if (!requests.every((request) => caller.can(searching.access, request))) {
    return 'The identity that saved it may not search for all that is shown with it.'
  }
  const visible = everyRule(...requests.map((request) => caller.rows(searching, request)))
  return isWithinRule(rows, visible) ? null : 'The identity that saved it sees only some of these contacts.'
}
