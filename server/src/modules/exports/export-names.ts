import { fileDays } from '@portico/contract/downloads'
import { exportsApi, fileEnding, isForSpreadsheets } from '@portico/contract/exports'
import { workbookType } from '@portico/contract/workbook/workbook-parts'
import type { DeliveredFile } from '#delivery'
import type { ExportRow } from './exports.queries.ts'

type Named = Pick<ExportRow, 'name' | 'delimiter' | 'should_zip'>

/** Extension of the file that users get. */
export function endingOf(row: Named): '.csv' | '.txt' | '.xlsx' | '.zip' {
  return row.should_zip ? '.zip' : fileEnding(row.delimiter)
}

/**
 * Returns whether a request can name the file with this ending: its own, that of the text in a .zip, or .txt for all
 * delimiters except the comma (specification 3 §7).
 */
export function isEndingOf(row: Named, ending: string): boolean {
  const isForPrograms = ending === '.txt' && row.delimiter === 'semicolon'
  return isForPrograms || ending === endingOf(row) || ending === fileEnding(row.delimiter)
}

/** Media type of the file that users get. */
export function typeOf(row: Named): string {
  if (row.should_zip) return 'application/zip'
  if (row.delimiter === 'xlsx') return workbookType
  return isForSpreadsheets(row.delimiter) ? 'text/csv; charset=utf-8' : 'text/plain; charset=utf-8'
}

/**
 * Returns the name of the file inside a .zip or on another server: the export's name, reduced to characters that all
 * file systems accept.
 */
export function plainFileName(row: Named, ending: string = fileEnding(row.delimiter)): string {
  const safe = row.name
    .toWellFormed()
    .replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, '_')
    .replace(/^\.+/, '_')
  return `${shortened(safe)}${ending}`
}

/** File names have at most 255 bytes; a character may take four of them. */
function shortened(name: string): string {
  return Buffer.byteLength(name) <= 240 ? name : name.slice(0, 60).toWellFormed()
}

/** Returns the time at which the file of a completed export is removed. */
function expiryOf({ last_activity_at: completedAt, created_at: createdAt }: ExportRow): Date {
  return new Date((completedAt ?? createdAt).getTime() + fileDays * 24 * 3600 * 1000)
}

/** Returns true once the file of a completed export was removed or is about to be. */
export function isExpired(row: ExportRow): boolean {
  if (row.status !== 'completed') return false
  return row.file_removed_at !== null || expiryOf(row) <= new Date()
}

/** Returns a completed export in the form that deliveries need. */
export function deliveredFile(row: ExportRow & { file_key: string }): DeliveredFile {
  return {
    name: row.name,
    maker: {
      email: row.creator,
      access: exportsApi.createExport.access,
      ...(row.acts_as && { actsAs: row.acts_as }),
    },
    fileName: plainFileName(row, endingOf(row)),
    storageKey: row.file_key,
    contentType: typeOf(row),
    records: Number(row.processed_records),
    sizeBytes: Number(row.file_size ?? 0),
    completedAt: (row.last_activity_at ?? row.created_at).toISOString(),
    expiresAt: expiryOf(row).toISOString(),
  }
}
