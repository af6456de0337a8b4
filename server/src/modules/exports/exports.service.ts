import { fileDays } from '@portico/contract/downloads'
import { type Export, type ExportDraft, exportsApi, isForSpreadsheets } from '@portico/contract/exports'
import type { AccountId } from '@portico/contract/accounts'
import type { Stages } from '@portico/contract/filter'
import type { ListQuery } from '@portico/contract/list-query'
import { messages } from '@portico/contract/messages'
import { choiceOf, isWithinRule } from '@portico/domain/pipeline/row-rules'
import { recordAudit } from '#audit'
import type { ActsAs } from '#credentials'
import { abandonDeliveries, deliveriesOf, type DeliveryRow, notificationsOf, planDeliveries } from '#delivery'
import { type QueryContext, listRows, requireAllContacts, userQuery } from '#filters'
import type { Actor } from '#platform/actor.ts'
import { withRoom } from '#platform/account-limits.ts'
import { AppError } from '#platform/app-error.ts'
import { accountSchema, type Db, inTransaction, isUniqueViolation } from '#platform/database.ts'
import type { AccountContext } from '#platform/http/context.ts'
import { cancelJobRow } from '#platform/jobs/job-rows.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import type { Secrets } from '#platform/secrets.ts'
import { FileMissing, grantOf, type Storage } from '#platform/storage.ts'
import type { FilterUse } from '#saved-filters'
import { planMatches } from './export-file.queries.ts'
import { endingOf, isEndingOf, isExpired, typeOf } from './export-names.ts'
import type { ExportSelection } from './export-selection.ts'
import { readSelection, readStages, requestedFilter } from './export-stages.service.ts'
import { endRun } from './export-runs.ts'
import { runExportJob } from './exports.jobs.ts'
import {
  countUnendedExports,
  exportJobs,
  type ExportRow,
  insertExport,
  isExportNameTaken,
  listedExports,
  selectExport,
} from './exports.queries.ts'
import { isRowNumber } from '#platform/ids.ts'

const linkSeconds = 600

/** Dependencies of creating an export; `sealer` encrypts the credentials of its notifications. */
export type CreateDeps = { db: Db; jobs: Jobs; sealer: Secrets }

/** The right with which an export runs, and how it uses saved filters; null for the portal's own. */
export type Exporter = { actsAs: ActsAs; use: FilterUse } | null

/**
 * Queues an export. Fields and filter are checked first: an invalid export is refused instead of queued. The contacts
 * that the caller may see (`rows`) become the start of its filter.
 * @throws name_taken, limit_reached, invalid_filter, not_allowed for a saved filter, invalid_input naming the field
 */
export async function createExport(
  { db, jobs, sealer }: CreateDeps,
  { account, rows }: { account: AccountId; rows: Stages | null },
  by: Actor,
  sent: ExportDraft,
  exporter: Exporter,
): Promise<Export> {
  const draft = ofVisible(sent, rows)
  const selection = await checkDraft(db, { account, rows }, draft, exporter?.use ?? null)
  const actsAs = exporter?.actsAs ?? null
  if (await isExportNameTaken(db, account, draft.name)) throw nameTaken()
  try {
    const row = await withRoom(db, account, 'unendedExports', countUnendedExports, (tx) =>
      insertChecked({ tx, jobs, sealer }, account, by, draft, { selection, actsAs }),
    )
    return await withDeliveries(db, account, row)
  } catch (error) {
    throw isUniqueViolation(error) ? nameTaken() : error
  }
}

/**
 * Checks the fields and the filter of an export. @throws invalid_filter, not_allowed, invalid_input naming the field
 */
export async function checkDraft(
  db: Db,
  { account, rows }: { account: AccountId; rows: Stages | null },
  draft: ExportDraft,
  use: FilterUse | null,
): Promise<ExportSelection> {
  const selected = { names: draft.exportFields, filter: filterOf(draft), rows }
  const selection = await readSelection(db, account, selected, use)
  // A full export needs no check, and must not wait for an import that locks the contacts.
  if (!selection.isEverything) await userQuery({ db }, (tx) => planMatches(tx, account, selection))
  return selection
}

/** Restricts an export to the contacts selected by `rows`. @throws invalid_filter */
export function ofVisible(draft: ExportDraft, rows: Stages | null): ExportDraft {
  if (rows === null) return draft
  return { ...draft, aggregateQuery: JSON.stringify([...rows, ...readStages(filterOf(draft))]) }
}

const filterOf = ({ aggregateQuery }: ExportDraft): string | null => aggregateQuery || null

/** Stores an export that `checkDraft` has checked, and queues it, in the transaction `tx`. */
export async function insertChecked(
  { tx, jobs, sealer }: Pick<CreateDeps, 'jobs' | 'sealer'> & { tx: Db },
  account: AccountId,
  by: Actor,
  draft: ExportDraft,
  { selection, actsAs }: { selection: ExportSelection; actsAs: ActsAs | null },
): Promise<ExportRow> {
  const filter = filterOf(draft)
  const inserted = await insertExport(tx, account, {
    name: draft.name,
    creator: by.actor,
    created_at: new Date(),
    status: 'waiting',
    delimiter: draft.delimiter,
    fields: selection.fields.map(({ name }) => name),
    filter,
    should_zip: draft.shouldZip ?? false,
    byte_order_mark: draft.delimiter !== 'xlsx' && (draft.byteOrderMark ?? isForSpreadsheets(draft.delimiter)),
    acts_as: actsAs && JSON.stringify(actsAs),
  })
  await planDeliveries(tx, sealer, account, { kind: 'export', id: inserted.id }, draft.notifications ?? [])
  await jobs.enqueue(tx, runExportJob, { account, exportId: inserted.id }, { person: by.actor })
  await recordAudit(tx, {
    account,
    ...by,
    action: 'export created',
    subject: inserted.name,
    details: {
      id: inserted.id,
      fields: inserted.fields,
      filter: requestedFilter({ filter, acts_as: actsAs }),
      ...(actsAs?.rule !== undefined && { isRestricted: true }),
    },
  })
  return inserted
}

export function nameTaken(): AppError {
  return new AppError('name_taken', [{ field: 'name', message: messages.duplicate }])
}

export async function listExports(
  context: QueryContext,
  account: AccountId,
  query: ListQuery,
): Promise<Export[] | { count: number }> {
  const rows = await listRows<ExportRow>(context, account, listedExports, query)
  if (!Array.isArray(rows)) return rows
  const ids = rows.map(({ id }) => id)
  const deliveries = await deliveriesOf(context.db, account, 'export', ids)
  return rows.map((row) => toExport(account, row, deliveries.get(row.id) ?? []))
}

/** @throws not_found, also for ids of other accounts */
export async function getExport(db: Db, account: AccountId, id: string): Promise<Export> {
  return withDeliveries(db, account, await findExport(db, account, id))
}

async function withDeliveries(db: Db, account: AccountId, row: ExportRow): Promise<Export> {
  const deliveries = await deliveriesOf(db, account, 'export', [row.id])
  return toExport(account, row, deliveries.get(row.id) ?? [])
}

/** Cancels an export. A queued one ends immediately, a running one within about a second. */
export async function cancelExport(db: Db, account: AccountId, by: Actor, id: string): Promise<Export> {
  const { id: exportId } = await findExport(db, account, id)
  return inTransaction(db, async (tx) => {
    const row = await cancelJobRow(tx, account, exportJobs, exportId)
    if (!row) throw new AppError('not_cancellable')
    if (row.status === 'rejected') {
      await abandonDeliveries(tx, account, { kind: 'export', id: exportId })
      await endRun(tx, account, row)
    }
    await recordAudit(tx, {
      account,
      ...by,
      action: 'export cancelled',
      subject: row.name,
      details: { id: exportId },
    })
    return withDeliveries(tx, account, row)
  })
}

/**
 * Returns a link to the file of a finished export, valid for ten minutes. `file` is the id with an ending of the file.
 * @throws not_found, also for the wrong extension or an expired file; not_ready
 */
export async function getDownload(
  { db, storage }: { db: Db; storage: Storage },
  { account, caller, rows }: Pick<AccountContext, 'account' | 'caller' | 'rows'>,
  file: string,
): Promise<{ url: string }> {
  const [, id = '', ending = ''] = /^(.*)(\.csv|\.txt|\.xlsx|\.zip)$/.exec(file) ?? []
  const row = await findExport(db, account, id)
  if (!isEndingOf(row, ending)) throw new AppError('not_found')
  requireOwnRows(row, rows)
  if (row.status !== 'completed' || row.file_key === null) throw new AppError('not_ready')
  if (isExpired(row)) throw new FileMissing(`The file expired after ${fileDays} days and was removed.`)
  const url = await storage.downloadUrl(row.file_key, {
    expiresInSeconds: linkSeconds,
    contentType: typeOf(row),
    downloadName: `${row.name}${endingOf(row)}`,
    grant: grantOf({ account, caller, rows }, exportsApi.getDownload, { file }),
  })
  return { url }
}

/** @throws not_allowed for a file that may contain contacts the caller must not see */
function requireOwnRows(row: ExportRow, rows: Stages | null): void {
  if (rows === null || hasOnly(row, rows)) return
  requireAllContacts(rows, 'This file can have others too. Export them yourself.')
}

/** Returns whether a caller who sees only `rows` may have the file of an export. */
export async function isFileVisible(db: Db, account: AccountId, id: string, rows: Stages): Promise<boolean> {
  const row = await selectExport(db, account, id)
  return row !== undefined && hasOnly(row, rows)
}

/** Returns whether the filter of an export certainly selected only contacts within `rows`. */
const hasOnly = ({ filter }: Pick<ExportRow, 'filter'>, rows: Stages): boolean =>
  isWithinRule(choiceOf(readStages(filter)), rows)

async function findExport(db: Db, account: AccountId, id: string): Promise<ExportRow> {
  const row = isRowNumber(id) ? await selectExport(db, account, id) : undefined
  if (!row) throw new AppError('not_found')
  return row
}

function toExport(account: AccountId, row: ExportRow, deliveries: readonly DeliveryRow[]): Export {
  const of = (kind: DeliveryRow['kind']) => deliveries.find((delivery) => delivery.kind === kind)
  const [email, http, sftp] = [of('email'), of('http'), of('sftp')]
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
    aggregateQuery: requestedFilter(row),
    isRestricted: row.acts_as?.rule !== undefined,
    fileSize: row.file_size === null ? null : Number(row.file_size),
    shouldZip: row.should_zip,
    byteOrderMark: row.byte_order_mark,
    isExpired: isExpired(row),
    notifications: notificationsOf(deliveries),
    emailStatus: email?.status ?? null,
    emailRecoveryCount: email?.recovery_count ?? null,
    emailResult: email?.result ?? null,
    httpRequestStatus: http?.status ?? null,
    httpRequestRecoveryCount: http?.recovery_count ?? null,
    httpRequestResult: http?.result ?? null,
    sftpStatus: sftp?.status ?? null,
    sftpRecoveryCount: sftp?.recovery_count ?? null,
    sftpResult: sftp?.result ?? null,
  }
}
