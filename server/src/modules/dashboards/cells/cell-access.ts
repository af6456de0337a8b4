import { writeColumnList } from '@portico/contract/column-list'
import { contactsApi } from '@portico/contract/contacts'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import type { Stages } from '@portico/contract/filter'
import { readRowKind } from '@portico/domain/pipeline/grouping'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { everyRule } from '@portico/domain/pipeline/row-rules'
import { actingHolder } from '#credentials'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { AccountContext, RequestParts } from '#platform/http/context.ts'
import { judgedParts } from '#platform/http/read-request.ts'
import type { UsedFilters } from '#saved-filters'
import type { CellStages } from './cell-rows.ts'

/** Whose rights the cells of a dashboard are read with besides the viewer's; null holder: it is not known. */
export type Saver = { holder: string | null }

/** The requests to `GET /offers` that read the same contacts as a cell; conditions of policies judge them. */
export function offersRequests(
  { filter }: CellChart,
  stages: CellStages,
  chosen: Record<string, 1 | -1> = {},
): RequestParts[] {
  const sort = Object.keys(chosen).length > 0 ? chosen : filter?.sort
  const columns = filter?.columns ?? []
  return Object.values(stages).map((pipeline: Pipeline) => {
    const isOfContacts = readRowKind(pipeline) !== 'groups'
    const aggregate = writePipeline(pipeline)
    const select = isOfContacts && columns.length > 0 ? writeColumnList(columns) : undefined
    return judgedParts(contactsApi.listOffers, { params: {}, query: { aggregate, select, sort }, body: undefined })
  })
}

/** Whose right lets contacts be read, and which of them it lets through; null for all. */
type ReadingRight = { right: 'own' | 'of author'; rows: Stages | null }

/** The author of a cell, and the saved filters that it uses. `forOthers`: a report, which goes to its recipients. */
type Use = { saver: Saver | null; used: UsedFilters; forOthers: boolean }

/**
 * Makes sure that a cell may be read, as `requireContacts` does, and that its saved filters may be used for the viewers who get it.
 * @throws cell_failed
 */
export async function requireReadable(
  database: Pick<Database, 'db' | 'pool'>,
  asking: Parameters<typeof requireContacts>[1],
  { saver, used, forOthers }: Use,
  requests: readonly RequestParts[],
): Promise<ReadingRight> {
  const reading = await requireContacts(database, asking, saver, requests)
  const shown = forOthers || reading.right === 'of author' ? { requests, rows: reading.rows } : null
  await used.requireSavers(database, asking.account, shown).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'not_allowed' ? cellFailed(error.message) : error
  })
  return reading
}

/**
 * Makes sure that the contacts may be read: by the viewer, or else by the identity alone that saved the dashboard, in the
 * viewer's account, now and from the viewer's address; without an address, whatever the hour and the network. Returns whose
 * right it is, and which contacts it lets through. Viewers see no contact outside their own rule, by either right.
 * @throws cell_failed
 */
async function requireContacts(
  { pool }: Pick<Database, 'pool'>,
  { caller, account, address, rows }: Pick<AccountContext, 'caller' | 'account' | 'rows'> & { address: string | null },
  saver: Saver | null,
  requests: readonly RequestParts[],
): Promise<ReadingRight> {
  const { access } = contactsApi.listOffers
  const readBy = (reader: Reader) => everyRule(rows, ...requests.map((request) => reader.rows({ access }, request)))
  if (requests.every((request) => caller.can(access, request))) return { right: 'own', rows: readBy(caller) }
  if (saver === null) throw cellFailed('You may not read these contacts.')
  if (saver.holder === null) {
    throw cellFailed('It is not known with which rights this dashboard was saved. Its author has to save it again.')
  }
  const acting = await actingHolder(pool, account, saver.holder, address)
  if ('refusal' in acting && acting.because === 'credential') {
    throw cellFailed('The API credential that saved this dashboard no longer works.')
  }
  if ('refusal' in acting && acting.because === 'two-factor') throw cellFailed(acting.refusal)
  const may = 'caller' in acting && requests.every((request) => acting.caller.can(access, request))
  if (!may) throw cellFailed('The author may not read contacts of this account.')
  return { right: 'of author', rows: readBy(acting.caller) }
}

type Reader = Pick<AccountContext['caller'], 'rows'>

export const cellFailed = (message: string): AppError => new AppError('cell_failed', undefined, message)
