import type { AccountId } from '@portico/contract/accounts'
import { api } from '@portico/contract/api'
import { writeColumnList } from '@portico/contract/column-list'
import { contactsApi } from '@portico/contract/contacts'
import { type ExportDraft, exportsApi } from '@portico/contract/exports'
import type { Stages } from '@portico/contract/filter'
import { actingHolder, type ActsAs, actsAsRefusal, requireActsAs } from '#credentials'
import { splitSecrets } from '#delivery'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { Caller, RequestParts } from '#platform/http/context.ts'
import { judgedParts } from '#platform/http/read-request.ts'
import { type FilterUse, requireWithSaved, type Shown } from '#saved-filters'

/** The request for an export, without the secrets of its deliveries: it is checked again when the export runs. */
export function exportCall(account: AccountId, draft: Partial<ExportDraft>): Omit<ActsAs, 'holder' | 'rule'> {
  const notifications = draft.notifications?.map((notification) => splitSecrets(notification).settings)
  const body = { ...draft, ...(notifications && { notifications }) }
  return { account, call: 'createExport', request: { params: {}, query: {}, body } }
}

/**
 * Returns the right with which a caller's export is written and delivered, and the contacts it may contain.
 * @throws not_allowed
 */
export const requireExporter = (account: AccountId, caller: Caller, draft: ExportDraft) =>
  requireActsAs(caller, exportCall(account, draft))

/**
 * How an export uses the saved filters it names: on behalf of others, who get its file. `body`: of the request for it.
 */
export function filterUse(
  pool: Database['pool'],
  account: AccountId,
  caller: Pick<Caller, 'can' | 'rows'>,
  body: { exportFields?: unknown },
): FilterUse {
  const { access } = exportsApi.createExport
  const requestWith = (stages: Stages): RequestParts => {
    const parts = { params: {}, query: {}, body: { ...body, aggregateQuery: JSON.stringify(stages) } }
    return judgedParts(exportsApi.createExport, parts)
  }
  const shownWith = (aggregate: Stages): Shown => {
    const { exportFields } = body
    const select = Array.isArray(exportFields) ? writeColumnList(exportFields.map(String)) : undefined
    const search = judgedParts(contactsApi.listOffers, { params: {}, query: { aggregate, select }, body: undefined })
    return { requests: [search], rows: caller.rows({ access }, requestWith(aggregate)) }
  }
  return { pool, account, caller, access, requestWith, shownWith }
}

/**
 * Checks that an export is still allowed by the right with which it was requested. Returns how it uses saved filters;
 * null for an export of the portal itself.
 * @throws not_allowed
 */
export async function requireStillAllowed(database: Database, actsAs: ActsAs | null): Promise<FilterUse | null> {
  if (!actsAs) return null
  const { account, holder, request } = actsAs
  const reason = await actsAsRefusal(database, actsAs)
  const acting = await actingHolder(database.pool, account, holder)
  if (reason !== null || !('caller' in acting)) throw new AppError('not_allowed', undefined, reason ?? undefined)
  // Its saved filters are now looked up again.
  const { cron } = actsAs
  if (cron) await requireWithSaved(database.db, { account, caller: acting.caller }, api[cron.call], cron.request)
  return filterUse(database.pool, account, acting.caller, Object(request.body))
}
