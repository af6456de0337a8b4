import { Readable } from 'node:stream'
import type { AccountId } from '@portico/contract/accounts'
import { type ColumnOfRows, columnsOfRows } from '@portico/contract/dashboards/cell-columns'
import { type CellTable, tableOf } from '@portico/contract/dashboards/cell-table'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import type { ReportCell } from '@portico/contract/dashboards/reported-cells'
import { readRowKind } from '@portico/domain/pipeline/grouping'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { everyRule } from '@portico/domain/pipeline/row-rules'
import type { OffsetWindow } from '@portico/domain/scheduler/window-condition'
import { ZipFile } from 'yazl'
import { accountTimeZone } from '#accounts'
import { actingHolder, callRefusal, type StoredCell } from '#credentials'
import { withSnapshot } from '#contacts'
import { answerForReport, type Cells, readStoredDashboard, type ReportNarrowing } from '#dashboards'
import { getExportSettings } from '#files'
import { AppError } from '#platform/app-error.ts'
import type { Database, Db } from '#platform/database.ts'
import type { Logger } from '#platform/log.ts'
import { readOnSnapshot } from '#platform/reading.ts'
import type { Storage } from '#platform/storage.ts'
import { namedFilter } from './named-filter.ts'
import { linesOf } from './report-lines.ts'
import { fileOfCell, fileOfReport, isZipped } from './report-names.ts'
import { cellCall, visibleIn, writingRefusal } from './report-rights.service.ts'
import { cellsToReport, namingCell } from './report-tables.ts'
import { reportWorkbook } from './report-workbook.ts'
import type { ReportRow, ReportSettings } from './tables.ts'

export type FileDeps = { database: Database; storage: Storage; log: Logger; cells: Cells }

/** Rows of contacts held in memory at a time. */
const rowsAtOnce = 5000
/** Groups are read all at once; a report may have far more of them than a screen shows. */
export const mostGroups = 50_000

/** A file of a report, with the rows of one cell or of all of them. */
type Part = { name: string; open: () => Readable }

/** Progress of writing a report. */
export type ReportProgress = {
  records: number
  /** Note that chosen cells are left out; null if none are. */
  note: string | null
  /** By cell id, the request and rights with which the cell was read. */
  cells: Map<string, StoredCell>
}

/**
 * Writes the file of a report under its key, page by page from the dashboard's cells into the storage. All cells show
 * the data of one moment, regardless of concurrent imports and deletes. Returns the file's size in bytes. Leaves
 * nothing behind when a cell fails or `stop` is aborted.
 * @throws not_found for a dashboard that no longer exists or is no longer visible; cell_failed naming the cell
 */
export async function writeReportFile(
  deps: FileDeps,
  account: AccountId,
  row: Pick<ReportRow, 'settings'> & { file_key: string },
  progress: ReportProgress,
  stop: AbortSignal,
): Promise<number> {
  return withSnapshot(deps, account, stop, async ({ client }) => {
    const snapshot = await readOnSnapshot(deps.database.db, client)
    return writeFrom(snapshot, deps, account, row, progress, stop)
  })
}

async function writeFrom(
  snapshot: Db,
  { database, storage, cells }: FileDeps,
  account: AccountId,
  { settings, file_key }: Pick<ReportRow, 'settings'> & { file_key: string },
  progress: ReportProgress,
  stop: AbortSignal,
): Promise<number> {
  const { db } = database
  const acting = await actingHolder(database.pool, account, settings.holder ?? `identity ${settings.identityId}`)
  if ('refusal' in acting) throw new AppError('not_allowed', undefined, acting.refusal)
  const { caller } = acting
  // Limits of networks and hours were checked when the cron was saved.
  const refusal = writingRefusal(caller, settings)
  if (refusal !== null) throw new AppError('not_allowed', undefined, refusal)
  const current = visibleIn(caller, settings.dashboard)
  // A row rule that changed in the meantime applies too: the file is handed out by the rule that the report started
  // with.
  const rows = everyRule(settings.rows ?? null, current)
  const asking = { db, snapshot, signal: stop, account, caller, rows, address: null }
  const viewer = { ...asking, actor: { actor: caller.email, address: null }, address: '' }
  const dashboard = await readStoredDashboard(cells, viewer, settings.dashboard)
  const narrowing = { window: windowOf(settings), stages: await namedFilter(db, account, settings.savedFilter) }
  const { cells: reported, note } = cellsToReport(dashboard.definition, settings.cells)
  progress.note = note
  const source = { cells, asking, dashboardId: settings.dashboard, dashboard, narrowing }
  const pagesOf = (cell: ReportCell) => cellPages(source, cell, progress)
  const open = await fileWriter(db, account, settings, pagesOf)
  const parts = settings.download.multipleFiles
    ? namedParts(reported, settings, open)
    : [{ name: fileOfReport(settings.download), open: () => open(reported) }]
  const content = isZipped(settings.download) ? zipOf(parts) : open(reported)
  return storage.put(file_key, content, { contentType: 'application/octet-stream', signal: stop })
}

/** Returns the writer that turns the cells of a report into a file, chosen by its delimiter. */
async function fileWriter(
  db: Db,
  account: AccountId,
  { download }: ReportSettings,
  pagesOf: (cell: ReportCell) => AsyncIterable<CellTable>,
): Promise<(reported: readonly ReportCell[]) => Readable> {
  const { delimiter } = download
  if (delimiter === 'xlsx') {
    const timeZone = await accountTimeZone(db, account)
    return (reported) => reportWorkbook(reported, pagesOf, timeZone)
  }
  const format = { ...download, ...(await getExportSettings(db, account)), delimiter }
  return (reported) => Readable.from(linesOf(reported, pagesOf, format))
}

/** The days of a report. Reports planned by an earlier release have only moments, from which the days are derived. */
function windowOf({ window }: ReportSettings): OffsetWindow | null {
  if (!window || window.from !== undefined) return window
  const [from, to] = [new Date(window.start).toISOString(), new Date(window.end - 1).toISOString()]
  return { ...window, from, to, endsWhenDue: false }
}

type Source = {
  cells: Cells
  asking: Parameters<typeof answerForReport>[1]
  dashboardId: string
  dashboard: Parameters<typeof answerForReport>[2]
  narrowing: ReportNarrowing
}

/** Reads the rows of a cell, page by page. The first page may be empty, and determines the columns. */
async function* cellPages(
  { cells, asking, dashboardId, dashboard, narrowing }: Source,
  { id, title, chart }: ReportCell,
  progress: ReportProgress,
): AsyncGenerator<CellTable> {
  let columns: ColumnOfRows[] | undefined
  const call = cellCall(dashboardId, id)
  const refusal = callRefusal(asking.caller, call)
  if (refusal !== null) throw new AppError('not_allowed', undefined, `${title}: ${refusal}`)
  const onRead = (reading: Omit<StoredCell, keyof typeof call>): void => {
    // The first page is recorded: a rule that changes later does not apply to rows that were already read.
    if (!progress.cells.has(id)) progress.cells.set(id, { ...call, ...reading })
  }
  for (let skip = 0; ; skip += rowsAtOnce) {
    const page = { target: id, narrowing, onRead, skip, limit: rowsAtOnce, groups: mostGroups }
    const answer = await answerForReport(cells, asking, dashboard, page).catch((error: unknown) => {
      throw namingCell(error, title)
    })
    if (!isPaged(chart) && answer.total > mostGroups) {
      throw namingCell(tooManyGroups(), title)
    }
    columns ??= columnsOfRows(chart, answer)
    const table = tableOf(chart, answer, columns)
    yield table
    progress.records += table.rows.length
    if (!isPaged(chart) || answer.rows.length < rowsAtOnce) return
  }
}

export const tooManyGroups = (): AppError =>
  new AppError('cell_failed', undefined, `more than ${mostGroups.toLocaleString('en-US')} groups.`)

/** Tables of contacts are read in pages; groups all at once. */
export const isPaged = ({ type, filter }: CellChart): boolean =>
  type === 'PaginaTable' || (type === 'Table' && (!filter || readRowKind(parsePipeline(filter.standard)) !== 'groups'))

/** Returns a file for each cell, named after it. */
function namedParts(
  reported: readonly ReportCell[],
  { download }: ReportSettings,
  open: (reported: readonly ReportCell[]) => Readable,
): Part[] {
  const nameOf = fileOfCell(download)
  return reported.map((cell) => ({ name: nameOf(cell.title), open: () => open([cell]) }))
}

/** Returns a .zip of the parts, which are read one by one while it is written. */
function zipOf(parts: readonly Part[]): Readable {
  const zip = new ZipFile()
  // The types only declare a writable stream; the library returns one that is readable too.
  const content = zip.outputStream as Readable
  for (const { name, open } of parts) {
    zip.addReadStreamLazy(name, { compressionLevel: 1 }, (give) => {
      const stream = open()
      stream.on('error', (error) => content.destroy(error))
      give(null, stream)
    })
  }
  zip.end()
  return content
}
