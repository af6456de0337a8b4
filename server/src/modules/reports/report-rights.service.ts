import type { AccountId } from '@portico/contract/accounts'
import { contactsApi } from '@portico/contract/contacts'
import { dashboardsApi } from '@portico/contract/dashboards'
import { type BiInstruction, dashboardIdOf } from '@portico/contract/scheduler/instructions'
import { offsetWindow } from '@portico/domain/scheduler/offset-window'
import { type ActsAs, callRefusal, type StoredCell, type StoredRequest } from '#credentials'
import { reportRefusal, requireDashboard, storedDefinition } from '#dashboards'
import { expandSaved, searchWith } from '#saved-filters'
import type { RunRefusal } from '#scheduler'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { ruleOf } from '#platform/storage.ts'
import { namedFilter } from './named-filter.ts'
import { cellsToReport } from './report-tables.ts'
import type { ReportSettings } from './tables.ts'

// A report does the same as a viewer of its dashboard: it looks at it, and asks for its cells.

/** The call that looks at a dashboard. */
const dashboardCall = (id: string): StoredRequest => ({
  call: 'getDashboard',
  request: { params: [id], query: {}, body: undefined },
})

/** The call that asks for one of its cells, before anything is chosen in others. */
export const cellCall = (id: string, cell: string): StoredRequest => ({
  call: 'answerCell',
  request: { params: [id, cell], query: {}, body: {} },
})

/** The contacts that a caller may see with a dashboard, as stages of a filter; null for all. */
export const visibleIn = (caller: Caller, id: string) =>
  caller.rows(dashboardsApi.getDashboard, dashboardCall(id).request)

/** By what the file of a report was allowed: its dashboard, its cron, and the cells in it. Null for one of an earlier release. */
export function reportActsAs(
  account: AccountId,
  { dashboard, holder, rows = null, cron }: ReportSettings,
  cells: readonly StoredCell[],
): ActsAs | null {
  if (holder === undefined) return null
  return { ...dashboardCall(dashboard), holder, account, ...ruleOf(rows), ...(cron && { cron }), cells: [...cells] }
}

/** Why a report may not be written any more by its maker. Each cell is judged where it is read. */
export function writingRefusal(caller: Caller, { dashboard, cron }: ReportSettings): string | null {
  return callRefusal(caller, dashboardCall(dashboard)) ?? (cron ? callRefusal(caller, cron) : null)
}

export const viewerOf = (account: AccountId, caller: Caller) => ({
  account,
  caller,
  actor: { actor: caller.email, address: null },
  address: '',
})

/**
 * Why a caller may not have reports by an instruction now: who sees the dashboard in the account, and may ask for each cell that
 * the report takes, may have them.
 */
export async function instructionRefusal(
  database: Pick<Database, 'db' | 'pool'>,
  account: AccountId,
  caller: Caller,
  instruction: BiInstruction,
): Promise<RunRefusal | null> {
  const id = dashboardIdOf(instruction.url) ?? ''
  const { access } = dashboardsApi.getDashboard
  if (callRefusal(caller, dashboardCall(id)) !== null) {
    return { reason: `${caller.email} may not see this dashboard (${access}).` }
  }
  try {
    const dashboard = await requireDashboard(database.db, viewerOf(account, caller), id)
    const stored = { definition: storedDefinition(dashboard), saver: { holder: dashboard.holder } }
    return (
      (await filterRefusal(database, account, caller, instruction)) ??
      (await cellsRefusal(database, { account, caller }, { id, ...stored }, instruction))
    )
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
    return { reason: 'The dashboard was deleted, or is no longer shared with its author.', pausesCron: true }
  }
}

/** Why a caller may not search with the saved filter that narrows a report. Each of its cells can ask for more. */
async function filterRefusal(
  { db, pool }: Pick<Database, 'db' | 'pool'>,
  account: AccountId,
  caller: Caller,
  { rdl }: BiInstruction,
): Promise<RunRefusal | null> {
  if (rdl === undefined || rdl === null) return null
  const { access } = contactsApi.listOffers
  try {
    await expandSaved(db, { pool, account, caller, access, requestWith: searchWith }, [{ $predefined: rdl }])
    return null
  } catch (error) {
    // Other errors of the filter show where it is read.
    if (error instanceof AppError && error.code === 'not_allowed') return { reason: error.message }
    if (error instanceof AppError) return null
    throw error
  }
}

type Stored = Parameters<typeof reportRefusal>[2] & { id: string }

/** Why a caller may not ask for a cell that a report takes. */
async function cellsRefusal(
  database: Pick<Database, 'db' | 'pool'>,
  reader: { account: AccountId; caller: Caller },
  dashboard: Stored,
  { cells, rdl, offset }: BiInstruction,
): Promise<RunRefusal | null> {
  const { account, caller } = reader
  const asking = { ...reader, db: database.db, rows: visibleIn(caller, dashboard.id), address: null }
  // Any day will do: conditions see which field a window is of.
  const window = offset === undefined ? null : offsetWindow(offset, Date.now(), 'UTC')
  const stages = await unlessBroken(() => namedFilter(database.db, account, rdl ?? null))
  const reported = await unlessBroken(() => cellsToReport(dashboard.definition, cells))
  if (!stages || !reported) return null
  for (const { id: target, title } of reported.cells) {
    const reason =
      callRefusal(caller, cellCall(dashboard.id, target)) ??
      (await reportRefusal(database, asking, dashboard, { target, narrowing: { window, stages } }))
    if (reason !== null) return { reason: `${title}: ${reason}` }
  }
  return null
}

/** A part that is broken says so where it is read. */
async function unlessBroken<T>(read: () => T | Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
