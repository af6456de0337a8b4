import type { AccountId } from '@portico/contract/accounts'
import { type Import, importsApi, type NewImport } from '@portico/contract/imports'
import type { Stages } from '@portico/contract/filter'
import type { ListQuery } from '@portico/contract/list-query'
import { foldName } from '@portico/domain/names'
import { messages } from '@portico/contract/messages'
import type { z } from 'zod'
import { recordAudit } from '#audit'
import { listContactFields } from '#contacts'
import { newStorageKey } from '#files'
import { type QueryContext, listRows } from '#filters'
import type { Actor } from '#platform/actor.ts'
import type { Config } from '#platform/config.ts'
import { withRoom } from '#platform/account-limits.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { type Db, inTransaction, isUniqueViolation } from '#platform/database.ts'
import type { AccountContext, Caller } from '#platform/http/context.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { maySearchBy } from '#search'
import { grantOf, type Storage } from '#platform/storage.ts'
import { toEventRow } from './events/event-request.ts'
import { emailImportFigures } from './import-email.service.ts'
import { requireFileColumns, requireUpload } from './import-file-columns.ts'
import { requireImporter } from './import-rights.ts'
import { type ReasonReader, toImport, toViewer } from './import-on-wire.ts'
import { runImportJob } from './imports.jobs.ts'
import {
  countUnendedImports,
  type ImportRow,
  insertImport,
  isImportNameTaken,
  listedImports,
  listedToSome,
  selectBindingImport,
  selectImport,
  updateCancelRequested,
} from './imports.queries.ts'
import { firstContactId } from './loading/match.queries.ts'
import { takesGuardsOff } from './import-guards.service.ts'
import { lateDedupProblem, requireComputedColumns } from './late-keys/late-dedup.service.ts'
import { selectLineOfRow } from './row-lines.queries.ts'
import { isRowNumber } from '#platform/ids.ts'

type Draft = z.output<typeof NewImport>
type AnyDraft = z.output<typeof importsApi.createImport.body>

/**
 * Checks the settings of an import and its uploaded file, as far as a request can. Returns the columns of an import
 * with these settings, and the right that it uses.
 * @throws invalid_input naming the field; not_allowed; too_many_requests
 */
export async function acceptDraft(
  { db, storage, signal }: { db: Db; storage: Storage; signal: AbortSignal | null },
  account: AccountId,
  draft: AnyDraft,
  importer: Caller | null,
) {
  const actsAs = importer && (await requireImporter(account, importer, draft))
  const accepted = draft.kind === 'events' ? await toEventRow(db, account, draft) : toContactRow(draft)
  const wanted = { filePath: draft.filePath, by: importer?.email ?? null }
  const find = (until: AbortSignal | null) => requireUpload({ db, storage, signal: until }, account, wanted)
  const { sheet, upload } = await requireFileColumns({ storage, signal }, find, {
    ...accepted,
    file_sheet: draft.fileSheet ?? null,
    mapping: draft.columnMapping ?? null,
    mismatchFields: draft.kind === 'events' ? [] : Object.keys(draft.onMismatchByField ?? {}),
    typedColumns: draft.kind === 'events' ? [] : Object.keys(draft.columnTypes ?? {}),
    takesGuardsOff: await takesGuardsOff(db, account, accepted.delimiter),
  })
  const file = {
    file_sheet: sheet,
    file_path: draft.filePath,
    file_key: upload.storageKey,
    file_size: upload.sizeBytes,
  }
  return { settings: { ...accepted, ...file }, actsAs }
}

/**
 * Queues an import of an uploaded file, for a caller and their request (`signal`) or the portal itself (null).
 * @throws invalid_input naming the field; name_taken; limit_reached; not_allowed; storage_full; too_many_requests
 */
export async function createImport(
  deps: { db: Db; storage: Storage; jobs: Jobs; signal: AbortSignal | null },
  account: AccountId,
  by: Actor,
  draft: AnyDraft,
  importer: Caller | null,
): Promise<Import> {
  const { db, storage, jobs } = deps
  // Rows may be set aside in a report: a full account accepts no file.
  await storage.requireRoom(newStorageKey(account, 'set-aside'), 1)
  const { settings, actsAs } = await acceptDraft(deps, account, draft, importer)
  const submitted = {
    ...settings,
    creator: by.actor,
    holder: actsAs?.holder ?? null,
    acts_as: actsAs && JSON.stringify(actsAs),
    created_at: new Date(),
    status: 'waiting' as const,
  }
  for (let round = 1; ; round++) {
    if (await isImportNameTaken(db, account, draft.name)) throw new AppError('name_taken', [duplicateName])
    try {
      const row = await withRoom(db, account, 'unendedImports', countUnendedImports, async (tx) => {
        const inserted = await insertImport(tx, account, submitted)
        // After the insert, which makes concurrent imports of the account wait for each other.
        if (draft.kind !== 'events') {
          await requireSameRules(tx, account, draft, inserted.id)
          await requireComputedColumns(tx, account, inserted)
          const problem = await lateDedupProblem(tx, account, inserted)
          if (problem !== null) throw invalidField('dedupColumns', problem)
        }
        await jobs.enqueue(tx, runImportJob, { account, importId: inserted.id }, { person: by.actor })
        await recordAudit(tx, {
          account,
          ...by,
          action: 'import created',
          subject: draft.name,
          details: { id: inserted.id, filePath: draft.filePath, ...(draft.kind === 'events' && { kind: 'events' }) },
        })
        return inserted
      })
      return toImport(account, row)
    } catch (error) {
      // A concurrent import took the name or the id; the next round finds out which.
      if (!isUniqueViolation(error) || round === mostRounds) throw error
    }
  }
}

// More than the imports that an account submits at the same moment.
const mostRounds = 100

export const duplicateName = { field: 'name', message: messages.duplicate }

function requireColumns(draft: Draft): void {
  // Specification 3 §5: PURL and dedup columns are required when PURLs are generated.
  if (draft.generatePURL && !draft.purlColumns?.length) throw invalidField('purlColumns', messages.required)
  if (draft.generatePURL && !draft.dedupColumns?.length) throw invalidField('dedupColumns', messages.required)
  for (const field of ['purlColumns', 'dedupColumns'] as const) {
    const names = (draft[field] ?? []).map(foldName)
    if (new Set(names).size < names.length) throw invalidField(field, messages.duplicate)
  }
  if (!draft.latitudeColumn !== !draft.longitudeColumn) {
    const missing = draft.latitudeColumn ? 'longitudeColumn' : 'latitudeColumn'
    throw invalidField(missing, 'Choose both a latitude and a longitude column, or neither.')
  }
}

/**
 * Rules set by the account's first import are fixed (specification 3 §4): with different rules, contacts of different
 * imports could not be matched reliably.
 */
export async function requireSameRules(db: Db, account: AccountId, draft: Draft, id: number): Promise<void> {
  const binding = await selectBindingImport(db, account, id)
  if (!binding) return
  const fixed = 'Cannot be changed anymore'
  if (draft.generatePURL !== binding.generate_purl) throw invalidField('generatePURL', fixed)
  if (draft.generatePURL && draft.dedupHashMatching !== binding.same_purl)
    throw invalidField('dedupHashMatching', fixed)
  if (binding.purl_scope === 'import' && draft.purlGenerationScope !== 'import') {
    throw invalidField('purlGenerationScope', fixed)
  }
  if (binding.purl_scope !== 'account' || draft.purlGenerationScope !== 'account') return
  const requireSame = (field: 'purlColumns' | 'dedupColumns', before: string[]) => {
    if (before.length === 0) return
    const fold = (names: readonly string[]) => names.map(foldName).join('\n')
    if (fold(draft[field] ?? []) !== fold(before)) throw invalidField(field, `${fixed}: ${before.join(', ')}`)
  }
  requireSame('purlColumns', binding.purl_columns)
  requireSame('dedupColumns', binding.dedup_columns)
}

function toContactRow(draft: Draft) {
  requireColumns(draft)
  return {
    kind: 'contacts' as const,
    name: draft.name,
    generate_purl: draft.generatePURL,
    purl_status: draft.generatePURL ? ('waiting' as const) : null,
    purl_scope: draft.purlGenerationScope,
    // Without PURLs there is none to keep.
    same_purl: draft.generatePURL && draft.dedupHashMatching,
    type_casting: draft.typeCasting,
    auto_export: draft.exportOnImportCompletion,
    purl_columns: draft.purlColumns ?? [],
    dedup_columns: draft.dedupColumns ?? [],
    latitude_column: draft.latitudeColumn ?? null,
    longitude_column: draft.longitudeColumn ?? null,
    notification_emails: draft.notificationEmails ?? [],
    column_mapping: draft.columnMapping ? JSON.stringify(draft.columnMapping) : null,
    on_mismatch: draft.onMismatch ?? ('cell' as const),
    on_mismatch_by_field: draft.onMismatchByField ? JSON.stringify(draft.onMismatchByField) : null,
    column_types: draft.columnTypes ? JSON.stringify(draft.columnTypes) : null,
    batch_size: draft.processBatchSize,
    delimiter: draft.fileDelimiter,
    header_line: draft.headerLine ?? null,
    name_columns: draft.nameColumns ?? false,
  }
}

/** The user who reads imports (null for the portal itself), and stages for the contacts they may see; null for all. */
type Viewer = { caller: Pick<Caller, 'can' | 'rows' | 'email'> | null; rows: Stages | null }

/** Only users who may search by any field and see all contacts may read values in reasons. */
async function reasonReader(db: Db, account: AccountId, { caller, rows }: Viewer): Promise<ReasonReader> {
  if (caller === null) return { all: true }
  const names = (await listContactFields(db, account)).map(({ name }) => name)
  if (rows === null && maySearchBy(caller, names)) return { all: true }
  return { all: false, started: rows === null ? caller.email : null }
}

export async function listImports(
  { rows: visible, caller, ...context }: QueryContext & Viewer,
  account: AccountId,
  query: ListQuery,
): Promise<Import[] | { count: number }> {
  const reader = await reasonReader(context.db, account, { caller, rows: visible })
  const rows = await listRows<ImportRow>(context, account, reader.all ? listedImports : listedToSome, query)
  return Array.isArray(rows) ? rows.map((row) => toViewer(reader, toImport(account, row))) : rows
}

/** @throws not_found, also for ids of other accounts */
export async function getImport(
  { db, ...viewer }: { db: Db } & Viewer,
  account: AccountId,
  id: string,
): Promise<Import> {
  const found = toImport(account, await findImport(db, account, id))
  return toViewer(await reasonReader(db, account, viewer), found)
}

/** Cancels an import. A queued one ends immediately, a running one at its next batch; loaded contacts are kept. */
export async function cancelImport(
  {
    db,
    jobs,
    config,
    ...viewer
  }: { db: Db; jobs: Jobs; config: Pick<Config, 'company' | 'product' | 'publicUrl'> } & Viewer,
  account: AccountId,
  by: Actor,
  id: string,
): Promise<Import> {
  const { id: importId } = await findImport(db, account, id)
  const reader = await reasonReader(db, account, viewer)
  return inTransaction(db, async (tx) => {
    const row = await updateCancelRequested(tx, account, importId)
    if (!row) throw new AppError('not_cancellable')
    await recordAudit(tx, {
      account,
      ...by,
      action: 'import cancelled',
      subject: row.name,
      details: { id: importId },
    })
    // A running import is ended, and its email sent, by its worker.
    if (row.status === 'rejected') await emailImportFigures({ db: tx, jobs, config }, account, row)
    return toViewer(reader, toImport(account, row))
  })
}

/** Returns a link to the report of rows set aside. @throws not_ready if no row was set aside, or not yet */
export async function getSetAsideReport(
  deps: { db: Db; storage: Storage },
  { account, caller }: Pick<AccountContext, 'account' | 'caller'>,
  id: string,
): Promise<{ url: string }> {
  const row = await findImport(deps.db, account, id)
  if (!row.report_key) throw new AppError('not_ready', undefined, 'No rows of this import were set aside.')
  const url = await deps.storage.downloadUrl(row.report_key, {
    expiresInSeconds: 600,
    contentType: 'text/csv; charset=utf-8',
    downloadName: `${row.name} - rows set aside.csv`,
    grant: grantOf({ account, caller }, importsApi.getSetAsideReport, { id }),
  })
  return { url }
}

/** Returns the line of the file that a contact came from. @throws not_found if the contact is not from this import */
export async function getContactLine(
  db: Db,
  account: AccountId,
  id: string,
  contact: string,
): Promise<{ line: number | null }> {
  const { id: importId, total_records: rows } = await findImport(db, account, id)
  const row = isRowNumber(contact) ? BigInt(contact) - firstContactId(importId) : -1n
  if (row < 0n || row >= (rows ?? 0)) throw new AppError('not_found')
  return { line: (await selectLineOfRow(db, account, importId, Number(row))) ?? null }
}

/** @throws not_found, also for ids of other accounts */
export async function findImport(db: Db, account: AccountId, id: string): Promise<ImportRow> {
  const row = isRowNumber(id) && id.length < 10 ? await selectImport(db, account, Number(id)) : undefined
  if (!row) throw new AppError('not_found')
  return row
}
