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

// A report needs the rights of a viewer of its dashboard: it opens the dashboard and requests its cells.

/** The request that opens a dashboard. */
const dashboardCall = (id: string): StoredRequest => ({
  call: 'getDashboard',
  request: { params: [id], query: {}, body: undefined },
})

/** The request for one of its cells, before anything is selected in other cells. */
export const cellCall = (id: string, cell: string): StoredRequest => ({
  call: 'answerCell',
  request: { params: [id, cell], query: {}, body: {} },
})

/** Stages that select the contacts a caller may see through a dashboard; null for all. */
export const visibleIn = (caller: Caller, id: string) =>
  caller.rows(dashboardsApi.getDashboard, dashboardCall(id).request)

/**
 * Returns the requests that allowed a report's file: for its dashboard, its cron, and its cells. Null for reports of an
 * earlier release.
 */
export function reportActsAs(
  account: AccountId,
  { dashboard, holder, rows = null, cron }: ReportSettings,
  cells: readonly StoredCell[],
): ActsAs | null {
  if (holder === undefined) return null
  return { ...dashboardCall(dashboard), holder, account, ...ruleOf(rows), ...(cron && { cron }), cells: [...cells] }
}

/** Returns why a report may no longer be written with its creator's rights. Each cell is checked when it is read. */
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
 * Returns why a caller may not have reports by an instruction now. Callers may have them if they can see the dashboard
 * in the account and request each cell in the report.
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

/**
 * Returns why a caller may not search with the saved filter that narrows a report. Its cells can require further
 * rights.
 */
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
    // Other errors of the filter are reported when it is read.
    if (error instanceof AppError && error.code === 'not_allowed') return { reason: error.message }
    if (error instanceof AppError) return null
    throw error
  }
}

type Stored = Parameters<typeof reportRefusal>[2] & { id: string }

/** Returns why a caller may not request one of the report's cells. */
async function cellsRefusal(
  database: Pick<Database, 'db' | 'pool'>,
  reader: { account: AccountId; caller: Caller },
  dashboard: Stored,
  { cells, rdl, offset }: BiInstruction,
): Promise<RunRefusal | null> {
  const { account, caller } = reader
  const asking = { ...reader, db: database.db, rows: visibleIn(caller, dashboard.id), address: null }
  // The day is irrelevant: conditions only see which field a window applies to.
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

/** Returns null for a broken part, which is reported when it is read. */
async function unlessBroken<T>(read: () => T | Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
