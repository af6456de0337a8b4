import type { AccountId } from '@portico/contract/accounts'
import type { ImportReview, ReviewOutcome } from '@portico/contract/import-review'
import type { NewImport } from '@portico/contract/imports'
import type { z } from 'zod'
import { readableFields } from '#contacts'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction, isUniqueViolation } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { isRowNumber } from '#platform/ids.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import type { Storage } from '#platform/storage.ts'
import { isImportNameTaken } from '../imports.queries.ts'
import { acceptDraft, duplicateName, requireSameRules } from '../imports.service.ts'
import { reviewImportJob } from '../imports.jobs.ts'
import { findNamingFields, selectNames } from './naming-fields.service.ts'
import {
  deleteReview,
  deleteReviewsBefore,
  insertReview,
  reviewsEnd,
  type ReviewRow,
  type ReviewSettings,
  selectReview,
} from './review.queries.ts'

type Draft = z.output<typeof NewImport>
type Accepted = Awaited<ReturnType<typeof acceptDraft>>['settings']
type Reader = Pick<Caller, 'can' | 'email'>

/** Maximum id of imports and reviews. */
const lastImportId = 2 ** 31 - 1

// More than the reviews that an account requests at the same moment.
const mostRounds = 100

/**
 * Queues a review of an uploaded file, replacing the caller's earlier one.
 * @throws as `createImport` for the same settings, except for limits
 */
export async function createReview(
  deps: { db: Db; storage: Storage; jobs: Jobs; signal: AbortSignal },
  account: AccountId,
  draft: Draft,
  caller: Caller,
): Promise<ImportReview> {
  const { db, jobs } = deps
  const { settings, actsAs } = await acceptDraft(deps, account, draft, caller)
  // Only the portal itself has no right, and only event files have no contacts.
  if (!actsAs || settings.kind !== 'contacts') throw new AppError('not_allowed')
  if (await isImportNameTaken(db, account, draft.name)) throw new AppError('name_taken', [duplicateName])
  await requireSameRules(db, account, draft, lastImportId)
  const review = {
    creator: caller.email,
    actsAs,
    fileKey: settings.file_key,
    settings: toSettings(draft, settings),
  }
  for (let round = 1; ; round++) {
    try {
      const row = await inTransaction(db, async (tx) => {
        await deleteReviewsBefore(tx, account, reviewsEnd(new Date()))
        const inserted = await insertReview(tx, account, review)
        await jobs.enqueue(tx, reviewImportJob, { account, reviewId: inserted.id }, { person: caller.email })
        return inserted
      })
      return toReview(row, null)
    } catch (error) {
      // A concurrent review took the id.
      if (!isUniqueViolation(error) || round === mostRounds) throw error
    }
  }
}

function toSettings(
  draft: Draft,
  { file_size: size, ...accepted }: Extract<Accepted, { kind: 'contacts' }>,
): ReviewSettings {
  return {
    ...accepted,
    file_size: String(size),
    file_sheet: accepted.file_sheet ?? null,
    column_mapping: draft.columnMapping ?? null,
    column_types: draft.columnTypes ?? null,
    on_mismatch: draft.onMismatch ?? 'cell',
    on_mismatch_by_field: draft.onMismatchByField ?? null,
    purl_started_at: null,
  }
}

/**
 * Returns a review of the caller's own, with examples of the fields they may read, but none of contacts that no longer
 * exist.
 * @throws not_found
 */
export async function getReview(db: Db, account: AccountId, id: string, reader: Reader): Promise<ImportReview> {
  const row = await findOwn(db, account, id, reader)
  return toReview(row, await forReader(db, account, row, reader))
}

/** @throws not_found */
export async function endReview(db: Db, account: AccountId, id: string, reader: Reader): Promise<void> {
  const row = await findOwn(db, account, id, reader)
  if (!(await deleteReview(db, account, { id: row.id, creator: reader.email }))) throw new AppError('not_found')
}

async function findOwn(db: Db, account: AccountId, id: string, { email }: Reader): Promise<ReviewRow> {
  const row = isRowNumber(id) && Number(id) <= lastImportId ? await selectReview(db, account, Number(id)) : undefined
  if (!row || row.creator !== email || row.created_at < reviewsEnd(new Date())) throw new AppError('not_found')
  return row
}

async function forReader(db: Db, account: AccountId, row: ReviewRow, reader: Reader): Promise<ReviewOutcome | null> {
  const { outcome, settings } = row
  if (!outcome) return null
  const readable = await readableFields(reader, outcome.fields)
  const names = new Set(readable.map(({ name }) => name))
  const naming = await findNamingFields(db, account, { outcome, settings, reader })
  const values = await selectNames(db, account, outcome, naming)
  return {
    ...outcome,
    created: outcome.created.map((created) =>
      Object.fromEntries(Object.entries(created).filter(([name]) => names.has(name))),
    ),
    updated: outcome.updated.flatMap(({ contact, changes }) => {
      const named = values.get(contact)
      const shown = changes.filter(({ field }) => names.has(field))
      return named && shown.length > 0 ? [{ contact, named, changes: shown }] : []
    }),
    namingFields: naming.map(({ name }) => name),
  }
}

function toReview(row: ReviewRow, outcome: ReviewOutcome | null): ImportReview {
  return {
    _id: String(row.id),
    status: row.status,
    phase: row.phase,
    phaseProgress: row.phase_progress,
    recoveryError: row.recovery_error,
    outcome,
  }
}
