import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AccountId } from '@portico/contract/accounts'
import { to as copyTo } from 'pg-copy-streams'
import { ZipFile } from 'yazl'
import type { Database } from '#platform/database.ts'
import type { Storage } from '#platform/storage.ts'
import { copyStatement, selectMatches } from './export-file.queries.ts'
import { ExportFormat } from './export-format.ts'
import { plainFileName, typeOf } from './export-names.ts'
import { getExportSettings } from './export-settings.service.ts'
import { readSelection } from './export-stages.service.ts'
import type { ExportRow } from './exports.queries.ts'
import { withSnapshot } from './snapshot.ts'

/** How far the file is; read by anyone who reports progress. */
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
    const selection = await readSelection(db, account, row.fields, row.filter)
    progress.total = await selectMatches(db, account, selection)
    const settings = await getExportSettings(db, account)
    const format = new ExportFormat({ columns: selection.fields, delimiter: row.delimiter, ...settings })
    progress.records = () => format.records
    const rows = client.query(copyTo(copyStatement(db, selection, row.delimiter)))
    const file = formatStream(format)
    const content = row.should_zip ? zipped(file, plainFileName(row)) : file
    // What breaks is told by the two promises below; a stream that fails once more after that is no news.
    for (const stream of [rows, file, content]) stream.on('error', () => {})
    const stored = storage.put(row.file_key, content, { contentType: typeOf(row), signal: stop })
    // A storage that fails leaves the stream as it is; the rows would wait for it forever.
    stored.catch((error: unknown) => file.destroy(error instanceof Error ? error : new Error(String(error))))
    // Both have to have come to rest before the connection is closed; the rows know best what went wrong.
    const [sent, size] = await Promise.allSettled([pipeline(rows, file, { signal: stop }), stored])
    if (sent.status === 'rejected') throw sent.reason
    if (size.status === 'rejected') throw size.reason
    return size.value
  })
}

// The fastest: stronger ones take twice the time for a file that is a little smaller.
const compressionLevel = 1

/** A .zip of one file, made while that is read. */
function zipped(file: Readable, name: string): Readable {
  const zip = new ZipFile()
  // The types know of writing alone; the library gives a stream that is read too.
  const content = zip.outputStream as Readable
  file.on('error', (error) => content.destroy(error))
  // The stream is asked for when it is its turn, which is at once.
  zip.addReadStream(file, name, { compressionLevel })
  zip.end()
  return content
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
