import type { CellAnswer, CellQuestion, Dashboard } from '@portico/contract/dashboards'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import type { Interaction } from '@portico/contract/dashboards/interaction'
import {
  keepPreviousData,
  type Query,
  type QueryClient,
  type QueryKey,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useMarks } from '#domain/job-lists'
import { call } from '#lib/api/api.ts'
import { isApiError } from '#lib/api/api-error.ts'
import { inTurn } from './cell-queue.ts'
import { viewerRoutes } from './dashboard-routes.ts'

/** The dashboards that the user may see, by name, without their definitions. */
export const useDashboards = () =>
  useQuery({
    queryKey: ['dashboards', 'list'],
    queryFn: ({ signal }) => call(viewerRoutes.list, { definition: 'false' }, { signal }),
  })

/** A dashboard with its definition; disabled without an id. */
export const useDashboard = (id: string | null) =>
  unlessRefused(
    useQuery({
      queryKey: ['dashboards', 'one', id],
      queryFn: ({ signal }) => call(viewerRoutes.get, { id: id ?? '' }, { signal }),
      enabled: id !== null,
    }),
  )

/** A query that hides earlier data once the portal has refused it, as a reload would. A lost connection keeps it. */
function unlessRefused<Data>(query: UseQueryResult<Data>): UseQueryResult<Data> {
  const isRefused = isApiError(query.error, 'not_found', 'not_allowed', 'cell_failed', 'no_account')
  // The library's state of an error without data.
  return isRefused ? ({ ...query, data: undefined } as UseQueryResult<Data>) : query
}

/**
 * Closes an open dashboard whose sharing has ended, and reads its cells again when the people who saved it lose a
 * right, as soon as the portal reports that one of these may have happened.
 */
export function useLiveDashboards(): void {
  const client = useQueryClient()
  useMarks('dashboards', (isFirst) => {
    const filters = { queryKey: ['dashboards'], predicate: ({ queryKey }: Query) => !isDeletedHere(client, queryKey) }
    // Data that was just loaded is not loaded again for the first mark.
    if (isFirst) void client.refetchQueries({ ...filters, type: 'active', stale: true })
    else void client.invalidateQueries(filters)
  })
}

/** The key of mutations that delete a dashboard; they take its id. */
export const deletionKey = ['dashboards', 'delete']

/** Whether a query reads a dashboard that this page has deleted or is deleting, and shows until the next one opens. */
function isDeletedHere(client: QueryClient, [, kind, of]: QueryKey): boolean {
  const id = kind === 'cell' ? (of as CellSource & { dashboard?: { _id: string } }).dashboard?._id : of
  const deletions = client.getMutationCache().findAll({ mutationKey: deletionKey })
  return deletions.some(({ state }) => state.status !== 'error' && state.variables === id)
}

/** The requested part of a cell's rows. */
export type CellPart = Pick<CellQuestion, 'search' | 'sort' | 'skip'> & { limit?: number }

export const wholeCell: CellPart = { search: '', sort: {}, skip: 0 }

/** A cell as the server returns it: of a stored dashboard, or of one being edited. */
export type CellSource =
  | { kind: 'stored'; dashboard: Pick<Dashboard, '_id' | 'version'>; cell: string; interaction: Interaction }
  | { kind: 'edited'; chart: CellChart }

const keysOfCell = (source: CellSource) => ['dashboards', 'cell', source] as const
export const keyOfCell = (source: CellSource, part: CellPart = wholeCell) => [...keysOfCell(source), part] as const

/**
 * The answer of a cell. The previous answer stays while another is read. `isVisible` cells are requested first;
 * `refreshMs`: interval at which the answer is read again.
 */
export const useCellAnswer = (
  source: CellSource,
  part: CellPart = wholeCell,
  {
    isVisible = true,
    isWanted = true,
    refreshMs,
  }: { isVisible?: boolean; isWanted?: boolean; refreshMs?: number } = {},
) =>
  unlessRefused(
    useQuery({
      queryKey: keyOfCell(source, part),
      queryFn: ({ signal, client }) =>
        inTurn(isVisible, signal, () => readAnewIfSaved(client, source, askCell(source, part, { signal }))),
      placeholderData: keepPreviousData,
      enabled: isWanted,
      retry: false,
      staleTime: 60_000,
      ...(refreshMs !== undefined && { refetchInterval: refreshMs, refetchIntervalInBackground: false }),
    }),
  )

/** Reloads a dashboard that was saved elsewhere since it was opened, and its cells with it. */
async function readAnewIfSaved(client: QueryClient, source: CellSource, answer: Promise<CellAnswer>) {
  try {
    return await answer
  } catch (error) {
    if (source.kind === 'stored' && isApiError(error, 'newer_version')) {
      const queryKey = ['dashboards', 'one', source.dashboard._id]
      void client.invalidateQueries({ queryKey }, { cancelRefetch: false })
    }
    throw error
  }
}

/** Requests the answer of a cell; `refresh` reads the contacts again. */
export function askCell(
  source: CellSource,
  part: CellPart,
  { refresh = false, signal }: { refresh?: boolean; signal?: AbortSignal } = {},
): Promise<CellAnswer> {
  const options = signal ? { signal } : {}
  if (source.kind === 'edited') {
    return call(viewerRoutes.preview, { body: { chart: source.chart, ...part } }, options)
  }
  const { dashboard, cell, interaction } = source
  const body = { version: dashboard.version, ...interaction, ...part, refresh }
  return call(viewerRoutes.cell, { id: dashboard._id, cell, body }, options)
}

/** The parts that a cell shows now: a table with pages shows one of many. */
const shownParts = (client: QueryClient, source: CellSource) =>
  client.getQueryCache().findAll({ queryKey: keysOfCell(source), type: 'active' })

/** When the contacts that a cell shows were read; null before its first answer. */
export const asOfCell = (client: QueryClient, source: CellSource): string | null =>
  shownParts(client, source)
    .map(({ state }) => (state.data as CellAnswer | undefined)?.asOf)
    .find((asOf) => asOf !== undefined) ?? null

/** Reads a cell's contacts again. */
export async function refreshCell(client: QueryClient, source: CellSource): Promise<void> {
  const keys = shownParts(client, source).map(({ queryKey }) => queryKey as ReturnType<typeof keyOfCell>)
  await Promise.all(keys.map(async (key) => client.setQueryData(key, await askCell(source, key[3], { refresh: true }))))
  await client.invalidateQueries({ queryKey: keysOfCell(source), refetchType: 'none' })
}
