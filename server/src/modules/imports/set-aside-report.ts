import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { reportColumns } from '@portico/contract/import-preview'
import type { Storage } from '#platform/storage.ts'
import { hasReportColumns } from './import-plan.ts'
import type { SetAside } from './reading/record-scanner-examine.ts'

/**
 * The rows of a file that could not be loaded, as a CSV that can be corrected and imported again: the file's own
 * columns, led by line number and reason, which an import ignores. Streams to the storage while the file is read;
 * stores nothing when there is no such row.
 */
export class SetAsideReport {
  readonly #storage: Storage
  readonly #key: string
  readonly #header: readonly string[]
  /** Leading cells of a report that is imported again; the new line and reason replace them. */
  readonly #dropped: number
  #stream: PassThrough | null = null
  #stored: Promise<number> | null = null
  /** The row that was set aside first. */
  first: Pick<SetAside, 'line' | 'reason'> | undefined

  constructor(storage: Storage, key: string, header: readonly string[]) {
    this.#storage = storage
    this.#key = key
    this.#dropped = hasReportColumns(header) ? reportColumns.length : 0
    this.#header = header.slice(this.#dropped)
  }

  async add({ line, reason, cells }: SetAside): Promise<void> {
    this.first ??= { line, reason }
    const stream = this.#stream ?? this.#open()
    // A failed storage has closed the stream; its error is the one to report.
    if (stream.destroyed) await this.#stored
    if (!stream.write(csvLine([String(line), reason, ...cells.slice(this.#dropped)]))) await once(stream, 'drain')
  }

  /** Finishes the report. Returns its storage key, or null when no row was set aside. */
  async close(): Promise<string | null> {
    if (!this.#stream) return null
    this.#stream.end()
    await this.#stored
    return this.#key
  }

  #open(): PassThrough {
    const stream = new PassThrough()
    this.#stream = stream
    this.#stored = this.#storage.put(this.#key, stream, { contentType: 'text/csv' })
    this.#stored.catch((error: unknown) => stream.destroy(error instanceof Error ? error : undefined))
    // Excel recognizes UTF-8 in a CSV only by a byte order mark.
    stream.write(`\uFEFF${csvLine([...reportColumns, ...this.#header])}`)
    return stream
  }
}

function csvLine(cells: readonly string[]): string {
  const quoted = cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
  return `${quoted.join(',')}\r\n`
}
