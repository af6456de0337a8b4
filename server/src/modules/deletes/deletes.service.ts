import { setTimeout as sleep } from 'node:timers/promises'
import { type DeleteRecord, deletesApi, type NewDelete, type RestoreState } from '@portico/contract/deletes'
import { Stages } from '@portico/contract/filter'
import type { AccountId } from '@portico/contract/accounts'
import type { ListQuery } from '@portico/contract/list-query'
import { everyRule } from '@portico/domain/pipeline/row-rules'
import type { z } from 'zod'
import { recordAudit } from '#audit'
import { actsAsCaller } from '#credentials'
import { selectImportRules } from '#imports'
import { type QueryContext, compilePipeline, listRows, openContactSource, toUserError } from '#filters'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import { type Database, isDatabaseAway, isUniqueViolation, setLocally } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { judgedParts } from '#platform/http/read-request.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import type { Logger } from '#platform/log.ts'
import { expandSaved, type FilterUse, readableStages } from '#saved-filters'
import { hasStalled, runDelete } from './delete-run.service.ts'
import { runDeleteJob } from './deletes.jobs.ts'
import { type DeleteRow, insertDelete, insertDeleteTargets, listedDeletes, selectDelete } from './deletes.queries.ts'
import { restorableUntil } from './restore-columns.ts'

type Deps = { database: Database; jobs: Jobs; log: Logger }
type Draft = z.output<typeof NewDelete>
type DeleteUse = FilterUse & Scope & { caller: Pick<Caller, 'holder'> }
/** The account and stages that select the contacts the caller may see; null for all contacts. */
type Scope = { account: AccountId; rows: Stages | null }

// Up to this number of contacts, the request does the work itself instead of waiting for a worker.
const doneAtOnce = 1000
// Storing a million ids takes seconds; anything slower is due to the filter.
const countingMs = 120_000
// The delete continues in a worker while the request has no connection to the database.
const outageMs = 30_000

/**
 * Deletes the contacts that match a filter, with all their data, if their number is `deletedRecords`. The contacts are
 * fixed in the transaction that counts them. From then on the delete always completes, even if connections to the
 * database break, unless the caller loses the right to it before a worker begins. Returns when all are deleted or the
 * client has disconnected.
 * @throws invalid_filter, not_allowed for a saved filter or a lost right, timed_out, count_changed with `{count}`,
 * delete_in_progress
 */
export async function deleteContacts(
  deps: Deps,
  { account, rows }: Scope,
  { by, caller }: { by: Actor; caller: Caller },
  draft: Draft,
  signal: AbortSignal,
): Promise<{ deletedCount: number }> {
  const use: FilterUse & { caller: Caller } = {
    pool: deps.database.pool,
    account,
    caller,
    access: deletesApi.deleteOffers.access,
    requestWith: (filter) =>
      judgedParts(deletesApi.deleteOffers, { params: {}, query: {}, body: { ...draft, filter } }),
  }
  const id = await beginDelete(deps, { ...use, rows }, by, draft)
  // The job stays queued in case this process dies or loses its connection; otherwise it will have nothing to do.
  if (draft.deletedRecords <= doneAtOnce) {
    await runDelete(deps, account, id, new AbortController().signal).catch((error: unknown) => {
      if (!isDatabaseAway(error)) throw error
    })
  }
  const ended = await untilEnded(deps.database, account, id, signal)
  if (ended?.status === 'rejected') {
    throw new AppError(hasStalled(ended) ? 'unexpected' : 'not_allowed', undefined, ended.reason ?? undefined)
  }
  return { deletedCount: draft.deletedRecords }
}

async function beginDelete(deps: Deps, use: DeleteUse, by: Actor, draft: Draft): Promise<string> {
  const { db } = deps.database
  const { account } = use
  const { filter, deletedRecords } = draft
  const { stages, rows } = await expandSaved(db, use, filter)
  const { resolve, from } = (await openContactSource(db, account, { rows: everyRule(use.rows, rows) })).scope()
  const { where } = compilePipeline(stages, resolve)
  const request = { params: {}, query: {}, body: { filter: stages, deletedRecords } }
  const actsAs = await actsAsCaller(deps.database.pool, use.caller, { account, call: 'deleteOffers', request })
  try {
    return await db.transaction().execute(async (tx) => {
      await setLocally(tx, 'statement_timeout', String(countingMs))
      const bindingImports = (await selectImportRules(tx, account)).filter(({ binds }) => binds).map((each) => each.id)
      // As stages, since a saved filter may change or be deleted later. The contacts are fixed.
      const filterText = JSON.stringify(await readableStages(tx, account, filter))
      const row = { filter: filterText, deletedRecords, creator: by.actor, actsAs, bindingImports, now: new Date() }
      const id = await insertDelete(tx, account, row)
      const count = await insertDeleteTargets(tx, account, id, { from: from(), where })
      if (count !== deletedRecords) throw countChanged(count, deletedRecords)
      await deps.jobs.enqueue(tx, runDeleteJob, { account, deleteId: id }, { person: by.actor })
      await recordAudit(tx, {
        account,
        ...by,
        action: 'contacts deleted',
        subject: deletedRecords === 1 ? '1 contact' : `${deletedRecords} contacts`,
        details: { delete: id, filter, deletedRecords },
      })
      return id
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new AppError('delete_in_progress')
    throw toUserError(error)
  }
}

function countChanged(count: number, confirmed: number): AppError {
  const now = count === 1 ? '1 contact matches' : `${count} contacts match`
  return new AppError('count_changed', { count }, `${now} now, not ${confirmed}. Nothing was deleted.`)
}

async function untilEnded(
  { db }: Database,
  account: AccountId,
  id: string,
  signal: AbortSignal,
): Promise<DeleteRow | undefined> {
  let reached = Date.now()
  for (let pause = 25; !signal.aborted; pause = Math.min(pause * 2, 500)) {
    try {
      const row = await selectDelete(db, account, id)
      if (row?.status !== 'processing') return row
      reached = Date.now()
    } catch (error) {
      if (!isDatabaseAway(error) || Date.now() - reached > outageMs) throw error
    }
    // Ends early when the client disconnects.
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
  return undefined
}

export async function listDeletes(
  context: QueryContext,
  account: AccountId,
  query: ListQuery,
): Promise<DeleteRecord[] | { count: number }> {
  const rows = await listRows<DeleteRow>(context, account, listedDeletes, query)
  return Array.isArray(rows) ? rows.map(toDeleteRecord) : rows
}

export function toDeleteRecord(row: DeleteRow): DeleteRecord {
  return {
    _id: row.id,
    filter: Stages.parse(JSON.parse(row.filter)),
    deletedRecords: Number(row.deleted_records),
    processedRecords: Number(row.processed_records),
    creator: row.creator,
    creationDate: row.created_at.toISOString(),
    status: row.status,
    reason: row.reason,
    restorableRecords: row.contents === 'kept' ? Number(row.kept_records) : 0,
    restorableUntil: restorableUntil(row)?.toISOString() ?? null,
    restore: toRestoreState(row),
    mergedInto: row.merged_into,
  }
}

function toRestoreState(row: DeleteRow): RestoreState | null {
  const { restore_status: status, restore_requested_at: requested, restored_by: by, restore } = row
  if (status === null || requested === null || by === null || restore === null) return null
  const { restoredRecords, missingRecords, missingValues, reason } = restore
  return {
    status,
    by,
    requestDate: requested.toISOString(),
    lastActivityDate: row.restore_activity_at?.toISOString() ?? null,
    restoredRecords,
    missingRecords,
    missingValues,
    reason,
  }
}
