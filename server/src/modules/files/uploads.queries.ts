import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'
import type { FileKeys } from '#platform/registration.ts'

type UploadTables = {
  uploads: {
    id: string
    account_id: number
    file_name: string
    storage_key: string
    content_type: string | null
    creator: string
    created_at: Date
    size_bytes: number | null
    completed_at: Date | null
    removed_at: Date | null
  }
}

/** An upload whose size is not known: its link was not used, its bytes are arriving, or a bucket has them. */
export type OpenUpload = { id: string; fileName: string; storageKey: string; createdAt: Date }

type CompleteUpload = OpenUpload & { sizeBytes: number }

export async function insertUpload(
  db: Db,
  account: AccountId,
  upload: { id: string; fileName: string; storageKey: string; contentType: string | null; creator: string },
): Promise<void> {
  await control<UploadTables>(db)
    .insertInto('uploads')
    .values({
      id: upload.id,
      account_id: account,
      file_name: upload.fileName,
      storage_key: upload.storageKey,
      content_type: upload.contentType,
      creator: upload.creator,
      created_at: new Date(),
    })
    .execute()
}

/** Returns the newest complete upload with that name, of one creator or all; null if there is none. */
export async function selectNewestUpload(
  db: Db,
  account: AccountId,
  { name, creator }: { name: string; creator: string | null },
): Promise<CompleteUpload | null> {
  const row = await control<UploadTables>(db)
    .selectFrom('uploads')
    .select(openColumns)
    // Sizes are far below 2^53, where doubles begin to lose digits.
    .select(sql<number>`size_bytes::float8`.as('sizeBytes'))
    .where('account_id', '=', account)
    .where('file_name', '=', name)
    .where('size_bytes', 'is not', null)
    .where('removed_at', 'is', null)
    .$if(creator !== null, (query) => query.where('creator', '=', creator))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

const openColumns = ['id', 'file_name as fileName', 'storage_key as storageKey', 'created_at as createdAt'] as const

const selectOpen = (db: Db, account: AccountId) =>
  control<UploadTables>(db)
    .selectFrom('uploads')
    .where('account_id', '=', account)
    .where('size_bytes', 'is', null)
    .where('removed_at', 'is', null)

/** Uploads with that name of which no size is known, newest first: created after `since`, of one creator or all. */
export async function selectOpenUploads(
  db: Db,
  account: AccountId,
  { name, creator, since, limit }: { name: string; creator: string | null; since: Date | null; limit: number },
): Promise<OpenUpload[]> {
  return selectOpen(db, account)
    .select(openColumns)
    .where('file_name', '=', name)
    .$if(creator !== null, (query) => query.where('creator', '=', creator))
    .$if(since !== null, (query) => query.where('created_at', '>', since))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Uploads of a person of which no size is known, of any name, created after `since`. */
export async function selectOpenOf(
  db: Db,
  account: AccountId,
  { creator, since, limit }: { creator: string; since: Date; limit: number },
): Promise<OpenUpload[]> {
  return selectOpen(db, account)
    .select(openColumns)
    .where('creator', '=', creator)
    .where('created_at', '>', since)
    .orderBy('created_at')
    .limit(limit)
    .execute()
}

/** Counts those. */
export async function countOpenUploads(
  db: Db,
  account: AccountId,
  { creator, since }: { creator: string; since: Date },
): Promise<number> {
  const { count } = await selectOpen(db, account)
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('creator', '=', creator)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * The next uploads of which no size is known, by their ids: created before `before`, and not being written by a process
 * of the portal.
 */
export async function selectSettledNext(
  db: Db,
  account: AccountId,
  { before, after, limit }: { before: Date; after: Pick<OpenUpload, 'id'> | null; limit: number },
): Promise<OpenUpload[]> {
  return selectOpen(db, account)
    .select(openColumns)
    .where('created_at', '<', before)
    .where(sql<boolean>`NOT EXISTS (SELECT FROM portico.pending_files AS p WHERE p.storage_key = uploads.storage_key)`)
    .$if(after !== null, (query) => query.where('id', '>', after?.id ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Deletes the row of a link that was not used. */
export async function deleteOpenUpload(db: Db, account: AccountId, storageKey: string): Promise<void> {
  await control<UploadTables>(db)
    .deleteFrom('uploads')
    .where('account_id', '=', account)
    .where('storage_key', '=', storageKey)
    .where('size_bytes', 'is', null)
    .execute()
}

/** Marks an upload as complete with its size, unless it already is. */
export async function updateUploadCompleted(
  db: Db,
  account: AccountId,
  storageKey: string,
  sizeBytes: number,
): Promise<void> {
  await control<UploadTables>(db)
    .updateTable('uploads')
    .set({ size_bytes: sizeBytes, completed_at: new Date() })
    .where('account_id', '=', account)
    .where('storage_key', '=', storageKey)
    .where('completed_at', 'is', null)
    .execute()
}

/** Storage keys of uploads that were created before `before` and not removed, oldest first. */
export async function selectOldUploads(
  db: Db,
  account: AccountId,
  { before, except, limit }: { before: Date; except: readonly string[]; limit: number },
): Promise<string[]> {
  const rows = await control<UploadTables>(db)
    .selectFrom('uploads')
    .select('storage_key')
    .where('account_id', '=', account)
    .where('removed_at', 'is', null)
    .where('created_at', '<', before)
    .$if(except.length > 0, (query) => query.where('storage_key', 'not in', [...except]))
    .orderBy('created_at')
    .limit(limit)
    .execute()
  return rows.map((row) => row.storage_key)
}

export async function updateUploadRemoved(db: Db, account: AccountId, storageKey: string): Promise<void> {
  await control<UploadTables>(db)
    .updateTable('uploads')
    .set({ removed_at: new Date() })
    .where('account_id', '=', account)
    .where('storage_key', '=', storageKey)
    .execute()
}

/** Total bytes of the uploads that were not removed. */
export async function selectUploadedBytes(db: Db, account: AccountId): Promise<number> {
  const { bytes } = await control<UploadTables>(db)
    .selectFrom('uploads')
    .select(sql<number>`coalesce(sum(size_bytes), 0)::float8`.as('bytes'))
    .where('account_id', '=', account)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return bytes
}

/** The uploads that have a record, whether complete or not. */
export const uploadKeys: FileKeys = {
  kind: 'uploads',
  states: async (db, account, keys) => {
    const rows = await control<UploadTables>(db)
      .selectFrom('uploads')
      .select('storage_key')
      .where('account_id', '=', account)
      .where('storage_key', 'in', [...keys])
      .where('removed_at', 'is', null)
      .execute()
    return new Map(rows.map((row) => [row.storage_key, 'kept']))
  },
}
