import { once } from 'node:events'
import { reportColumns } from '@portico/contract/import-preview'
import { newStorageKey } from '#files'
import type { Storage } from '#platform/storage.ts'
import { beginFile, type FileWriting } from '#platform/files/stored-file.ts'
import type { ImportRun } from './import-context.ts'
import { hasReportColumns } from './import-plan.ts'
import { selectImport } from './imports.queries.ts'
import type { SetAside } from './reading/record-scanner-examine.ts'

/** The columns of an import that name its report; null if no row or cell was set aside. */
type ReportColumns = { report_key: string | null; report_size: number | null; report_rows: number | null }

/**
 * Runs work that writes a report of rows set aside and records it. If the work fails, the report is removed, unless the
 * import names it.
 */
export async function withSetAsideReport<T>(
  { storage, database, account, row, log }: Pick<ImportRun, 'storage' | 'database' | 'account' | 'row' | 'log'>,
  header: readonly string[],
  work: (report: SetAsideReport) => Promise<T>,
): Promise<T> {
  const key = newStorageKey(account, 'set-aside')
  const report = new SetAsideReport(storage, key, header)
  try {
    return await work(report)
  } catch (error) {
    try {
      await report.abandon(error)
      // The database may have recorded the report before the connection was lost.
      const now = await selectImport(database.db, account, row.id)
      if (now?.report_key !== key) await storage.remove(key)
    } catch (failure) {
      // The sweep of abandoned files finds it.
      log.warn({ err: failure, account, import: row.id }, 'the rows set aside by a failed import were not removed yet')
    }
    throw error
  }
}

/**
 * The rows of a file that could not be loaded, or only without some of their cells, as a CSV file that can be corrected
 * and imported again: the file's own columns, preceded by line number and reason, which an import ignores. Streams to
 * the storage while the file is read; stores nothing if there are no such rows. Only created by `withSetAsideReport`.
 */
class SetAsideReport {
  readonly #storage: Storage
  readonly #key: string
  readonly #header: readonly string[]
  /** Number of leading cells of a report that is imported again; the new line and reason replace them. */
  readonly #dropped: number
  #file: FileWriting | null = null
  #rows = 0
  /** The row that was set aside first. */
  first: Pick<SetAside, 'line' | 'reason'> | undefined

  constructor(storage: Storage, key: string, header: readonly string[]) {
    this.#storage = storage
    this.#key = key
    this.#dropped = hasReportColumns(header) ? reportColumns.length : 0
    this.#header = header.slice(this.#dropped)
  }

  async add({ line, reason, cells, isLoaded }: SetAside): Promise<void> {
    if (!isLoaded) this.first ??= { line, reason }
    this.#rows++
    const file = (this.#file ??= this.#open())
    // A failed storage has closed the stream; report its error.
    if (file.stream.destroyed) await file.complete()
    if (!file.stream.write(csvLine([String(line), reason, ...cells.slice(this.#dropped)]))) {
      await once(file.stream, 'drain')
    }
  }

  /** Finishes the report. Returns the columns that record it. */
  async close(): Promise<ReportColumns> {
    if (!this.#file) return { report_key: null, report_size: null, report_rows: null }
    return { report_key: this.#key, report_size: await this.#file.complete(), report_rows: this.#rows }
  }

  async abandon(error: unknown): Promise<void> {
    await this.#file?.abandon(error)
  }

  #open(): FileWriting {
    const file = beginFile(this.#storage, this.#key, { contentType: 'text/csv' })
    // Excel recognizes UTF-8 in a CSV file only by a byte order mark.
    file.stream.write(`\uFEFF${csvLine([...reportColumns, ...this.#header])}`)
    return file
  }
}
export type { SetAsideReport }

function csvLine(cells: readonly string[]): string {
  const quoted = cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
  return `${quoted.join(',')}\r\n`
}
