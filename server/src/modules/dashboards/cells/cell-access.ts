import { writeColumnList } from '@portico/contract/column-list'
import { contactsApi } from '@portico/contract/contacts'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { readRowKind } from '@portico/domain/pipeline/grouping'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { type ReadingRight, readingRight, type Saver } from '#credentials'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { AccountContext, RequestParts } from '#platform/http/context.ts'
import { judgedParts } from '#platform/http/read-request.ts'
import type { UsedFilters } from '#saved-filters'
import type { CellStages } from './cell-rows.ts'

/** The stored form of the requests to `GET /offers` that read the same contacts as a cell. */
export function offersCalls(
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
    return { params: {}, query: { aggregate, select, sort }, body: undefined }
  })
}

/** The same requests in the form in which conditions of policies judge them. */
export const offersRequests = (...cell: Parameters<typeof offersCalls>): RequestParts[] =>
  offersCalls(...cell).map((call) => judgedParts(contactsApi.listOffers, call))

/**
 * The holder whose rights a cell is read with, and the saved filters that it uses. `forOthers`: a report, which goes to
 * its recipients.
 */
type Use = { saver: Saver | null; used: UsedFilters; forOthers: boolean }

/**
 * Makes sure that a cell may be read, as `requireContacts` does, and that its saved filters may be used for the viewers
 * of its rows.
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

/** Makes sure that the contacts may be read, as `readingRight` judges it. @throws cell_failed */
async function requireContacts(
  { pool }: Pick<Database, 'pool'>,
  asking: Pick<AccountContext, 'caller' | 'account' | 'rows'> & { address: string | null },
  saver: Saver | null,
  requests: readonly RequestParts[],
): Promise<ReadingRight> {
  const reading = await readingRight(pool, asking, saver, requests)
  if ('refusal' in reading) throw cellFailed(reading.refusal)
  return reading
}

export const cellFailed = (message: string): AppError => new AppError('cell_failed', undefined, message)
