import { type OwnedWork, receptionOf } from '#access'
import { recordAudit } from '#audit'
import { AppError } from '#platform/app-error.ts'
import { lockDashboard, selectDashboard, updateDashboardRow } from './dashboards.queries.ts'
import { selectOwnedDashboards } from './owned.queries.ts'
import { addVersion, contentOf, requireContacts, requireSaver } from './saving.service.ts'
import { requireSharableBy } from './sharing.service.ts'

const asAuthor = ({ id, email }: { id: string; email: string }) => ({ personId: id, email, isAdministrator: false })

/**
 * Dashboards can be handed over. Their cells are read by the right of the new author from then on, as if they had saved
 * them; a version says so.
 */
export const ownedDashboards: OwnedWork = {
  kind: 'dashboard',
  list: selectOwnedDashboards,
  receive: (db, { receiver, owner, closed }, id) =>
    receptionOf(async () => {
      const row = await selectDashboard(db, receiver.account, asAuthor(owner), id)
      if (!row) throw new AppError('not_found')
      requireContacts(receiver)
      await requireSharableBy(db, receiver.caller, contentOf(row).sharedWith, closed)
      return requireSaver(db, receiver, { id, content: contentOf(row) })
    }),
  async move(tx, { row: { id, account, version }, holder, from, to, by }) {
    await lockDashboard(tx, account, id)
    const row = await selectDashboard(tx, account, asAuthor(from), id)
    if (row?.authorId !== from.id || row.version !== version) return false
    const { personId, ...actor } = by
    const next = version + 1
    await updateDashboardRow(tx, account, id, { author_id: to.id, version: next })
    const changes = `Handed over from ${from.email} to ${to.email}.`
    const author = { account, actor, caller: { personId }, holder }
    await addVersion(tx, author, id, { version: next, content: contentOf(row), changes })
    const details = { id, from: from.email, to: to.email }
    await recordAudit(tx, { account, ...actor, action: 'dashboard handed over', subject: row.name, details })
    return true
  },
}
