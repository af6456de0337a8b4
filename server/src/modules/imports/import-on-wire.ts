import type { AccountId } from '@portico/contract/accounts'
import { mismatchChoice } from '@portico/contract/import-preview'
import type { Import, MismatchChoice } from '@portico/contract/imports'
import { foldName } from '@portico/domain/names'
import { accountSchema } from '#platform/database.ts'
import { cancelledByUser } from '#platform/jobs/job-runs.ts'
import type { ImportRow } from './imports.queries.ts'
import { undoUntil } from './undo/undo-columns.ts'

const instant = (date: Date | null) => date?.toISOString() ?? null

/** Converts an import to the form of the contract. */
export function toImport(account: AccountId, row: ImportRow): Import {
  return {
    _id: String(row.id),
    accountId: account,
    kind: row.kind,
    name: row.name,
    creator: row.creator,
    creationDate: row.created_at.toISOString(),
    status: row.status,
    phase: row.phase,
    phaseProgress: row.phase_progress,
    processedRecords: row.processed_records,
    totalRecords: row.total_records,
    createdRecords: row.created_records,
    updatedRecords: row.updated_records,
    unchangedRecords: row.processed_records - row.created_records - row.updated_records,
    setAsideRecords: row.set_aside_records,
    setAsideCells: row.set_aside_cells,
    emptyRecords: row.empty_records,
    startDate: instant(row.started_at),
    lastActivityDate: instant(row.last_activity_at),
    purlStatus: row.purl_status,
    purlProcessedRecords: row.purl_processed_records,
    purlStartDate: instant(row.purl_started_at),
    purlLastActivityDate: instant(row.purl_last_activity_at),
    purlColumns: row.purl_columns,
    dedupColumns: row.dedup_columns,
    notificationEmails: row.notification_emails,
    latitudeColumn: row.latitude_column,
    longitudeColumn: row.longitude_column,
    generatePURL: row.generate_purl,
    purlGenerationScope: row.purl_scope,
    dedupHashMatching: row.same_purl,
    exportOnImportCompletion: row.auto_export,
    typeCasting: row.type_casting,
    processBatchSize: row.batch_size,
    fileDelimiter: row.delimiter,
    fileSheet: row.file_sheet,
    headerLine: row.header_line,
    nameColumns: row.name_columns,
    filePath: row.file_path,
    fileSize: Number(row.file_size),
    databaseName: accountSchema(account),
    recoveryCount: row.recovery_count,
    recoveryError: row.recovery_error,
    header: row.header.filter((name) => name !== ''),
    columnMapping: row.column_mapping,
    columnValidation: columnValidation(row),
    indexObject: Object.fromEntries(keysOf(row).map((name) => [name, 1 as const])),
    onMismatch: row.on_mismatch,
    onMismatchByField: row.on_mismatch_by_field ?? {},
    columnTypes: row.column_types ?? {},
    keyColumn: row.key_column,
    keyField: row.key_field,
    undo: toUndo(row),
    undoUntil: instant(undoUntil(row)),
    binds: row.binds,
  }
}

/** The fields that identify contacts. */
const keysOf = ({ kind, key_field: keyField, dedup_columns: dedupColumns }: ImportRow): string[] =>
  kind === 'events' ? [keyField ?? ''] : dedupColumns

function columnValidation(row: ImportRow): Record<string, MismatchChoice> {
  if (row.kind === 'events') return {}
  const choices = { onMismatch: row.on_mismatch, onMismatchByField: row.on_mismatch_by_field ?? {} }
  const keys = new Set(row.dedup_columns.map(foldName))
  const mapped = new Map(Object.entries(row.column_mapping ?? {}).map(([column, field]) => [foldName(column), field]))
  return Object.fromEntries(
    row.header.flatMap((column) => {
      const target = mapped.get(foldName(column))
      if (column === '' || target === null) return []
      const field = target ?? column
      const choice = mismatchChoice(choices, field)
      const isKey = keys.has(foldName(column)) || keys.has(foldName(field))
      return [[column, choice === 'cell' && isKey ? 'row' : choice]]
    }),
  )
}

function toUndo(row: ImportRow): Import['undo'] {
  if (row.undo_status === null || row.undo_requested_at === null) return null
  return {
    status: row.undo_status,
    by: row.undone_by ?? '',
    requestDate: row.undo_requested_at.toISOString(),
    lastActivityDate: instant(row.undo_activity_at),
    reason: row.undo?.reason ?? null,
  }
}

/** A user who reads reasons of failed imports: `all`, or only those of imports started by `started`. */
export type ReasonReader = { all: true } | { all: false; started: string | null }

/**
 * Returns an import as a user may see it. The reason for a failure can contain values of its file, and of contacts with
 * the same values; it is shown only to users who could search for these.
 */
export function toViewer(reader: ReasonReader, one: Import): Import {
  if (one.recoveryError === null || one.recoveryError === cancelledByUser) return one
  return reader.all || reader.started === one.creator ? one : { ...one, recoveryError: hiddenReason }
}

const hiddenReason =
  'The reason can have values of contacts. Only people who see all contacts can read it, and the person who started the import.'
