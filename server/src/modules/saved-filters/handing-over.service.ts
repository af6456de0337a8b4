import { savedFiltersApi } from '@portico/contract/saved-filters'
import { type OwnedWork, receptionOf } from '#access'
import { recordAudit } from '#audit'
import { nextVersion } from '#platform/rows/versions.ts'
import { requireOwn } from './found-filter.ts'
import { selectOwnedFilters } from './owned.queries.ts'
import { lockOwnFilter, type SavedFilterRow, updateOwnFilter } from './saved-filters.queries.ts'
import { checkQuery, requireSaver } from './saved-filters.service.ts'
import { keepVersion } from './versions.service.ts'

const draftOf = ({ name, aggregate_query, show_in_subaccounts }: SavedFilterRow) => ({
  name,
  aggregateQuery: aggregate_query,
  showInSubaccounts: show_in_subaccounts,
})

/** Saved filters can be handed over: they are used with the right of the receiver from then on, as if they had saved them. */
export const ownedFilters: OwnedWork = {
  kind: 'saved-filter',
  list: selectOwnedFilters,
  receive: (db, { receiver: { account, caller } }, id) =>
    receptionOf(async () => {
      const draft = draftOf(await requireOwn(db, account, id))
      const stages = await checkQuery(db, account, draft.aggregateQuery, id)
      return requireSaver({ caller, route: savedFiltersApi.updateSavedFilter, params: { id } }, stages, draft)
    }),
  async move(tx, { row: { id, account, version }, holder, from, to, by }) {
    const { personId: _, ...actor } = by
    const before = await lockOwnFilter(tx, account, id)
    if (before?.version !== version) return false
    const { name, aggregate_query } = before
    const next = nextVersion(before, actor, ['owner'])
    const saved = await updateOwnFilter(tx, account, before, { name, aggregate_query, holder, ...next })
    if (saved) await keepVersion(tx, account, saved, before)
    const details = { id, from: from.email, to: to.email }
    await recordAudit(tx, { account, ...actor, action: 'saved filter handed over', subject: name, details })
    return true
  },
}
