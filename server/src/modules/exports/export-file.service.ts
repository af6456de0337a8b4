import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AccountId } from '@portico/contract/identity'
import { to as copyTo } from 'pg-copy-streams'
import { openContactSource } from '#filters'
import type { Database } from '#platform/database.ts'
import type { Storage } from '#platform/storage.ts'
import { copyStatement, selectMatches } from './export-file.queries.ts'
import { ExportFormat } from './export-format.ts'
import { selectForExport } from './export-selection.ts'
import type { ExportRow } from './exports.queries.ts'
import { withSnapshot } from './snapshot.ts'

/** How far the file is; read by whoever reports progress. */
export type ExportProgress = { total: number | null; records: () => number }

/**
 * Writes the file of an export under its key, streamed from the database through a byte transform into the storage.
 * Answers its size in bytes. Nothing is left of it when that fails, or when `stop` is aborted.
 * @throws invalid_filter and invalid_input when the fields have changed since the export was created
 */
export async function writeExportFile(
  { database, storage }: { database: Database; storage: Storage },
  account: AccountId,
  row: ExportRow & { file_key: string },
  progress: ExportProgress,
  stop: AbortSignal,
): Promise<number> {
  return withSnapshot(database, account, stop, async ({ client, db }) => {
    const selection = selectForExport(await openContactSource(db, account), row.fields, row.filter)
    progress.total = await selectMatches(db, account, selection)
    const format = new ExportFormat({ columns: selection.fields, delimiter: row.delimiter, guardFormulas: true })
    progress.records = () => format.records
    const rows = client.query(copyTo(copyStatement(db, selection, row.delimiter)))
    const file = formatStream(format)
    const contentType = row.delimiter === 'csv' ? 'text/csv; charset=utf-8' : 'text/plain; charset=utf-8'
    // What breaks is told by the two promises below; a stream that fails once more after that is no news.
    for (const stream of [rows, file]) stream.on('error', () => {})
    const stored = storage.put(row.file_key, file, { contentType, signal: stop })
    // A storage that fails leaves the stream as it is; the rows would wait for it forever.
    stored.catch((error: unknown) => file.destroy(error instanceof Error ? error : new Error(String(error))))
    // Both have to have come to rest before the connection is closed; the rows know best what went wrong.
    const [sent, size] = await Promise.allSettled([pipeline(rows, file, { signal: stop }), stored])
    if (sent.status === 'rejected') throw sent.reason
    if (size.status === 'rejected') throw size.reason
    return size.value
  })
}

function formatStream(format: ExportFormat): Transform {
  const file = new Transform({
    transform(piece: Buffer, _encoding, done) {
      const next = format.format(piece)
      done(null, next.length > 0 ? next : undefined)
    },
    flush(done) {
      done(null, format.end())
    },
  })
  file.push(format.header())
  return file
}
