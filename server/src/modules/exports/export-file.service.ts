import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AccountId } from '@portico/contract/accounts'
import { cellStyles } from '@portico/contract/workbook/cell-styles'
import { CellTooLong, tooLongText } from '@portico/contract/workbook/sheet-columns'
import { to as copyTo } from 'pg-copy-streams'
import { ZipFile } from 'yazl'
import { accountTimeZone } from '#accounts'
import { withSnapshot } from '#contacts'
import { getExportSettings } from '#files'
import { countRows } from '#filters'
import { accountTable, type Database, type Db, setLocally } from '#platform/database.ts'
import { JobRefused } from '#platform/jobs/job-runs.ts'
import type { Logger } from '#platform/log.ts'
import type { Storage } from '#platform/storage.ts'
import { SheetFormat, sheetStream } from '#platform/workbook/sheet-format.ts'
import { createWorkbook } from '#platform/workbook/write-workbook.ts'
import type { FilterUse } from '#saved-filters'
import { copySheetStatement, copyStatement, mostKeptBytes, selectMatches } from './export-file.queries.ts'
import { ExportFormat } from './export-format.ts'
import type { ExportSelection } from './export-selection.ts'
import { plainFileName, typeOf } from './export-names.ts'
import { ExportTooSlow, exportTimeLimit, type ExportTimeLimit, watchOutput, withinLimit } from './export-time-limit.ts'
import { sheetColumnsOf } from './export-sheet-columns.ts'
import { readSelection, ruleAtStart } from './export-stages.service.ts'
import type { ExportRow } from './exports.queries.ts'

/** Progress of writing the file, for callers that report it. */
export type ExportProgress = { total: number | null; records: () => number }

/**
 * Writes the file of an export under its key, streamed from the database through a byte transform into the storage.
 * Returns its size in bytes. Leaves nothing behind if that fails or `stop` is aborted.
 * @throws ExportTooSlow; invalid_filter and invalid_input if the fields have changed since the export was created
 */
export async function writeExportFile(
  { database, storage, log, limit = exportTimeLimit, mostKept = mostKeptBytes }: WriterDeps,
  account: AccountId,
  row: ExportRow & { file_key: string },
  use: FilterUse | null,
  progress: ExportProgress,
  stop: AbortSignal,
): Promise<number> {
  const stuck = new AbortController()
  const signal = AbortSignal.any([stop, stuck.signal])
  const written = withSnapshot({ database, log }, account, signal, async ({ client, db }) => {
    const selection = await readSelection(
      db,
      account,
      { names: row.fields, filter: row.filter, rows: ruleAtStart(row) },
      use,
    )
    const contacts = await countRows(db, account, accountTable(account, 'contacts'), null)
    const limitMs = limit.baseMs + limit.msPerContact * contacts
    await setLocally(db, 'statement_timeout', String(limitMs))
    progress.total = await withinLimit(limitMs, () => selectMatches(db, account, selection, mostKept))
    // Writing the file may take longer, as long as there is progress.
    await setLocally(db, 'statement_timeout', '0')
    const watch = watchOutput(
      limitMs,
      // Output is waiting to be stored.
      () => file.writableLength > 0,
      () => stuck.abort(new ExportTooSlow(limitMs)),
    )
    const { statement, file, made, records } = await writerOf(db, account, row, selection, watch.progress)
    progress.records = records
    const rows = client.query(copyTo(statement))
    const content = row.should_zip ? zipped(made, plainFileName(row)) : made
    rows.once('end', watch.end)
    // The two promises below report failures; a further error of a failed stream is of no use.
    for (const stream of [rows, file, made]) stream.on('error', () => {})
    const stored = storage.put(row.file_key, content, { contentType: typeOf(row), signal })
    // A failing storage does not end the stream, and the rows would wait for it forever.
    stored.catch((error: unknown) => file.destroy(error instanceof Error ? error : new Error(String(error))))
    // Both must settle before the connection is closed; the error of the rows is the more precise one.
    const [sent, size] = await Promise.allSettled([pipeline(rows, file, { signal }), stored])
    watch.end()
    if (sent.status === 'rejected') throw explainTooLong(sent.reason, selection)
    if (size.status === 'rejected') throw size.reason
    return size.value
  })
  return written.catch((error: unknown) => {
    throw stuck.signal.aborted ? stuck.signal.reason : error
  })
}

/**
 * How the rows of an export become its file: the COPY statement, the transform of its output, and the resulting file.
 */
type Writer = { statement: string; file: Transform; made: Readable; records: () => number }

async function writerOf(
  db: Db,
  account: AccountId,
  row: ExportRow,
  selection: ExportSelection,
  onPiece: () => void,
): Promise<Writer> {
  const { delimiter } = row
  if (delimiter === 'xlsx') {
    const statement = copySheetStatement(db, selection, await accountTimeZone(db, account))
    const styles = cellStyles()
    const columns = await sheetColumnsOf(db, account, row, selection)
    const numbers = columns.map(({ type, format }) => (type === 'number' ? styles.styleOf({ type, format }) : 0))
    const format = new SheetFormat(
      columns.map(({ type }) => type),
      numbers,
    )
    const file = sheetStream(format, onPiece)
    const made = createWorkbook(file, { name: row.name, columns, styles })
    return { statement, file, made, records: () => format.rows }
  }
  const settings = await getExportSettings(db, account)
  const format = new ExportFormat({ columns: selection.fields, delimiter, ...settings })
  const file = formatStream(format, row.byte_order_mark, onPiece)
  return { statement: copyStatement(db, selection, delimiter), file, made: file, records: () => format.records }
}

/** Explains a text too long for a cell of a workbook; another attempt would fail too. */
function explainTooLong(error: unknown, { fields }: ExportSelection): unknown {
  if (!(error instanceof CellTooLong)) return error
  return new JobRefused(`${tooLongText(fields[error.column]?.name)} Leave this field out, or choose another delimiter.`)
}

type WriterDeps = {
  database: Database
  storage: Storage
  log: Logger
  limit?: ExportTimeLimit
  mostKept?: number
}

// The fastest level: higher ones take twice the time for a slightly smaller file.
const compressionLevel = 1

/** Returns a .zip of one file, compressed while it is read. */
function zipped(file: Readable, name: string): Readable {
  const zip = new ZipFile()
  // The types only declare a writable stream; the library returns one that is readable too.
  const content = zip.outputStream as Readable
  file.on('error', (error) => content.destroy(error))
  // Opens the stream when its turn comes, which is immediately.
  zip.addReadStream(file, name, { compressionLevel })
  zip.end()
  return content
}

function formatStream(format: ExportFormat, hasMark: boolean, onPiece: () => void): Transform {
  const file = new Transform({
    transform(piece: Buffer, _encoding, done) {
      onPiece()
      const next = format.format(piece)
      done(null, next.length > 0 ? next : undefined)
    },
    flush(done) {
      done(null, format.end())
    },
  })
  // Excel recognizes UTF-8 in a text file only by a byte order mark.
  if (hasMark) file.push('\uFEFF')
  file.push(format.header())
  return file
}
