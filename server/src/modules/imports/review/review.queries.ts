import type { AccountId } from '@portico/contract/accounts'
import type { ReviewOutcome } from '@portico/contract/import-review'
import type { ImportPhase } from '@portico/contract/imports'
import type { JobStatus } from '@portico/contract/jobs'
import { type Generated, type JSONColumnType, type Selectable, sql, type Updateable } from 'kysely'
import type { ActsAs } from '#credentials'
import { type Db, inAccount } from '#platform/database.ts'
import type { JobTable } from '#platform/jobs/job-rows.ts'
import type { FileSettings } from '../import-context.ts'

/** Settings of the import, as in the request for the review. */
export type ReviewSettings = Omit<FileSettings, 'id' | 'header' | 'plan'>

/** An outcome as it was counted; a caller sees the parts of it that their rights allow. */
export type CountedOutcome = ReviewOutcome & {
  createdRecords: number
  updatedRecords: number
  unchangedRecords: number
}

/** Table `import_reviews` of an account. */
export type ReviewTable = {
  id: number
  creator: string
  /** The request for the review, checked again before it runs. */
  acts_as: JSONColumnType<ActsAs> | null
  created_at: Date
  status: JobStatus
  phase: ImportPhase | null
  phase_progress: Generated<number>
  last_activity_at: Date | null
  recovery_count: Generated<number>
  recovery_error: string | null
  /** Storage key of the uploaded file. */
  file_key: string
  settings: JSONColumnType<ReviewSettings>
  outcome: JSONColumnType<CountedOutcome> | null
}
type Tables = { import_reviews: ReviewTable }
export type ReviewRow = Selectable<ReviewTable>
export const reviewJobs: JobTable<ReviewTable, 'id' | 'status' | 'recovery_count'> = {
  name: 'import_reviews',
  seen: ['id', 'status', 'recovery_count'],
}

/**
 * The first id of reviews, above those of imports: working tables, locks and row numbers of both are distinct. It
 * leaves room for as many reviews in an id of 32 bits, and for the ids of their contacts in 64 bits.
 */
export const firstReviewId = 1_000_000_000

/**
 * Inserts with the next id, replacing the creator's earlier reviews. Of two concurrent calls with the same id, one gets
 * a unique violation and must retry.
 */
export async function insertReview(
  db: Db,
  account: AccountId,
  row: { creator: string; actsAs: ActsAs; fileKey: string; settings: ReviewSettings },
): Promise<ReviewRow> {
  const tables = inAccount<Tables>(db, account)
  const { last } = await tables
    .selectFrom('import_reviews')
    .select(({ fn }) => fn.coalesce(fn.max('id'), sql<number>`${firstReviewId - 1}`).as('last'))
    .executeTakeFirstOrThrow()
  await tables.deleteFrom('import_reviews').where('creator', '=', row.creator).execute()
  return tables
    .insertInto('import_reviews')
    .values({
      id: last + 1,
      creator: row.creator,
      acts_as: JSON.stringify(row.actsAs),
      created_at: new Date(),
      status: 'waiting',
      file_key: row.fileKey,
      settings: JSON.stringify(row.settings),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

const ownColumns = [
  'id',
  'creator',
  'acts_as',
  'created_at',
  'status',
  'phase',
  'phase_progress',
  'last_activity_at',
  'recovery_count',
  'recovery_error',
  'file_key',
  'settings',
] as const satisfies readonly (keyof ReviewTable)[]

/**
 * Outcomes with more bytes of text are returned without examples: earlier releases stored whole texts of any length.
 */
const longOutcome = 20_000_000

export async function selectReview(db: Db, account: AccountId, id: number): Promise<ReviewRow | undefined> {
  const outcome = sql<ReviewRow['outcome']>`
    CASE WHEN octet_length(outcome::text) > ${sql.lit(longOutcome)}
      THEN outcome || '{"created": [], "updated": [], "examplesLeftOut": true}' ELSE outcome END`
  return inAccount<Tables>(db, account)
    .selectFrom('import_reviews')
    .select([...ownColumns, outcome.as('outcome')])
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function updateReview(
  db: Db,
  account: AccountId,
  id: number,
  changes: Updateable<ReviewTable>,
): Promise<void> {
  await inAccount<Tables>(db, account).updateTable('import_reviews').set(changes).where('id', '=', id).execute()
}

/** Returns whether the creator had such a review. */
export async function deleteReview(
  db: Db,
  account: AccountId,
  { id, creator }: { id: number; creator: string },
): Promise<boolean> {
  const deleted = await inAccount<Tables>(db, account)
    .deleteFrom('import_reviews')
    .where('id', '=', id)
    .where('creator', '=', creator)
    .returning('id')
    .executeTakeFirst()
  return deleted !== undefined
}

const keptMs = 3_600_000

/** Reviews from before this moment are removed: they contain values of contacts. */
export const reviewsEnd = (now: Date): Date => new Date(now.getTime() - keptMs)

export async function deleteReviewsBefore(db: Db, account: AccountId, moment: Date): Promise<void> {
  await inAccount<Tables>(db, account).deleteFrom('import_reviews').where('created_at', '<', moment).execute()
}

/** Selects storage keys of the uploads that reviews are still reading. */
export async function selectReviewedUploads(db: Db, account: AccountId): Promise<string[]> {
  const rows = await inAccount<Tables>(db, account)
    .selectFrom('import_reviews')
    .select('file_key')
    .where('status', 'in', ['waiting', 'processing', 'recovery'])
    .execute()
  return rows.map(({ file_key: key }) => key)
}

/** Selects the ids of reviews that have not ended, among the given ones. */
export async function selectUnendedReviews(db: Db, account: AccountId, ids: readonly number[]): Promise<number[]> {
  const rows = await inAccount<Tables>(db, account)
    .selectFrom('import_reviews')
    .select('id')
    .where('id', 'in', [...ids])
    .where('status', 'not in', ['completed', 'rejected'])
    .execute()
  return rows.map(({ id }) => id)
}
