import type { Export, NewExport } from '@portico/contract/exports'
import type { AccountId } from '@portico/contract/identity'
import type { ListQuery } from '@portico/contract/list-query'
import { recordAudit } from '#audit'
import { type Asker, listRows, openContactSource, userQuery } from '#filters'
import { AppError } from '#platform/app-error.ts'
import { accountSchema, type Db, inTransaction, isUniqueViolation } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs.ts'
import type { Storage } from '#platform/storage.ts'
import { explainMatches } from './export-file.queries.ts'
import { selectForExport } from './export-selection.ts'
import { runExportJob } from './exports.jobs.ts'
import {
  type ExportRow,
  insertExport,
  isExportNameTaken,
  listedExports,
  selectExport,
  updateCancelRequested,
} from './exports.queries.ts'

/** Who does something, for the audit log. */
export type Actor = { email: string; address: string | null }

const linkSeconds = 600

/**
 * Puts an export in line. Fields and filter are checked now, so that what cannot work is refused and not queued.
 * @throws name_taken, invalid_filter, invalid_input naming the field
 */
export async function createExport(
  { db, jobs }: { db: Db; jobs: Jobs },
  account: AccountId,
  actor: Actor,
  draft: NewExport,
): Promise<Export> {
  const filter = draft.aggregateQuery?.trim() || null
  const selection = selectForExport(await openContactSource(db, account), draft.exportFields, filter)
  if (selection.pipeline.where) await userQuery({ db }, (tx) => explainMatches(tx, account, selection))
  if (await isExportNameTaken(db, account, draft.name)) throw nameTaken()
  try {
    const row = await inTransaction(db, async (tx) => {
      const inserted = await insertExport(tx, account, {
        name: draft.name,
        creator: actor.email,
        created_at: new Date(),
        status: 'waiting',
        delimiter: draft.delimiter,
        fields: selection.fields.map(({ name }) => name),
        filter,
      })
      await jobs.enqueue(tx, runExportJob, { account, exportId: inserted.id })
      await recordAudit(tx, {
        account,
        actor: actor.email,
        address: actor.address,
        action: 'export created',
        subject: inserted.id,
        details: { name: inserted.name, fields: inserted.fields, filter },
      })
      return inserted
    })
    return toExport(account, row)
  } catch (error) {
    throw isUniqueViolation(error) ? nameTaken() : error
  }
}

function nameTaken(): AppError {
  return new AppError('name_taken', [{ field: 'name', message: 'Value is duplicate!' }])
}

export async function listExports(
  asker: Asker,
  account: AccountId,
  query: ListQuery,
): Promise<Export[] | { count: number }> {
  const rows = await listRows<ExportRow>(asker, account, listedExports, query)
  return Array.isArray(rows) ? rows.map((row) => toExport(account, row)) : rows
}

/** @throws not_found for an id of another account as for one that never was */
export async function getExport(db: Db, account: AccountId, id: string): Promise<Export> {
  return toExport(account, await findExport(db, account, id))
}

/** Asks for the end of an export. One that waits ends at once, one that runs within about a second. */
export async function cancelExport(db: Db, account: AccountId, actor: Actor, id: string): Promise<Export> {
  const { id: exportId } = await findExport(db, account, id)
  const row = await updateCancelRequested(db, account, exportId, new Date())
  if (!row) throw new AppError('not_cancellable')
  await recordAudit(db, {
    account,
    actor: actor.email,
    address: actor.address,
    action: 'export cancelled',
    subject: exportId,
    details: { name: row.name },
  })
  return toExport(account, row)
}

/**
 * A link to the file of a finished export, for ten minutes. `file` is the id with the ending of the file.
 * @throws not_found, also for the wrong ending; not_ready
 */
export async function getDownload(
  { db, storage }: { db: Db; storage: Storage },
  account: AccountId,
  file: string,
): Promise<{ url: string }> {
  const [, id = '', ending = ''] = /^(.*)(\.csv|\.txt)$/i.exec(file) ?? []
  const row = await findExport(db, account, id)
  if (ending.toLowerCase() !== endingOf(row)) throw new AppError('not_found')
  if (row.status !== 'completed' || row.file_key === null) throw new AppError('not_ready')
  const url = await storage.downloadUrl(row.file_key, {
    expiresInSeconds: linkSeconds,
    contentType: row.delimiter === 'csv' ? 'text/csv; charset=utf-8' : 'text/plain; charset=utf-8',
    downloadName: `${row.name}${endingOf(row)}`,
  })
  return { url }
}

function endingOf({ delimiter }: ExportRow): '.csv' | '.txt' {
  return delimiter === 'csv' ? '.csv' : '.txt'
}

async function findExport(db: Db, account: AccountId, id: string): Promise<ExportRow> {
  // Up to 18 digits are less than any bigint.
  const row = /^\d{1,18}$/.test(id) ? await selectExport(db, account, id) : undefined
  if (!row) throw new AppError('not_found')
  return row
}

function toExport(account: AccountId, row: ExportRow): Export {
  return {
    _id: row.id,
    accountId: account,
    name: row.name,
    creationDate: row.created_at.toISOString(),
    creator: row.creator,
    status: row.status,
    processedRecords: Number(row.processed_records),
    totalRecords: row.total_records === null ? null : Number(row.total_records),
    startDate: row.started_at?.toISOString() ?? null,
    lastActivityDate: row.last_activity_at?.toISOString() ?? null,
    delimiter: row.delimiter,
    databaseName: accountSchema(account),
    recoveryCount: row.recovery_count,
    recoveryError: row.recovery_error,
    exportFields: row.fields,
    aggregateQuery: row.filter,
    fileSize: row.file_size === null ? null : Number(row.file_size),
  }
}
