import type { AccountId } from '@portico/contract/accounts'
import type { ImportReview } from '@portico/contract/import-review'
import type { NewImport } from '@portico/contract/imports'
import type { z } from 'zod'
import { recordAudit } from '#audit'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction, isUniqueViolation } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { isRowNumber } from '#platform/ids.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import type { Storage } from '#platform/storage.ts'
import { isImportNameTaken } from '../imports.queries.ts'
import { acceptDraft, duplicateName, requireSameRules } from '../imports.service.ts'
import { reviewImportJob } from '../imports.jobs.ts'
import {
  deleteReview,
  deleteReviewsBefore,
  insertReview,
  reviewsEnd,
  type ReviewRow,
  type ReviewSettings,
  selectReview,
} from './review.queries.ts'
import { outcomeForReader, reasonForReader, type ReviewReader } from './reviewed-for-reader.service.ts'

type Draft = z.output<typeof NewImport>
type Accepted = Awaited<ReturnType<typeof acceptDraft>>['settings']
type Reader = ReviewReader & Pick<Caller, 'email'>

/** Maximum id of imports and reviews. */
const lastImportId = 2 ** 31 - 1

// More than the reviews that an account requests at the same moment.
const mostRounds = 100

/**
 * Queues a review of an uploaded file, replacing the caller's earlier one. The audit log records it as it does imports:
 * it tells which contacts have the values of the file.
 * @throws as `createImport` for the same settings, except for limits
 */
export async function createReview(
  deps: { db: Db; storage: Storage; jobs: Jobs; signal: AbortSignal },
  account: AccountId,
  by: Actor,
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
        const details = { id: inserted.id, filePath: draft.filePath }
        await recordAudit(tx, { account, ...by, action: 'import reviewed', subject: draft.name, details })
        return inserted
      })
      return toReview(row, { reason: null, outcome: null })
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
 * Returns a review of the caller's own, as far as they may read its fields and see contacts, without examples of
 * contacts that no longer exist.
 * @throws not_found
 */
export async function getReview(db: Db, account: AccountId, id: string, reader: Reader): Promise<ImportReview> {
  const row = await findOwn(db, account, id, reader)
  return toReview(row, {
    reason: await reasonForReader(db, account, row, reader),
    outcome: await outcomeForReader(db, account, row, reader),
  })
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

type Shown = { reason: string | null; outcome: ImportReview['outcome'] }

function toReview(row: ReviewRow, { reason, outcome }: Shown): ImportReview {
  return {
    _id: String(row.id),
    status: row.status,
    phase: row.phase,
    phaseProgress: row.phase_progress,
    recoveryError: reason,
    outcome,
  }
}
