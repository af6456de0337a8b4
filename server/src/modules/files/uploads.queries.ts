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

export type UploadRow = {
  id: string
  fileName: string
  storageKey: string
  /** Null until all bytes have arrived. */
  sizeBytes: number | null
}

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

/** Uploads with that name, complete or not, newest first. */
export async function selectUploads(
  db: Db,
  account: AccountId,
  fileName: string,
  { creator, limit, skip }: { creator: string | null; limit: number; skip: number },
): Promise<UploadRow[]> {
  return (
    control<UploadTables>(db)
      .selectFrom('uploads')
      .select(['id', 'file_name as fileName', 'storage_key as storageKey'])
      // Sizes are far below 2^53, where doubles begin to lose digits.
      .select(sql<number | null>`size_bytes::float8`.as('sizeBytes'))
      .where('account_id', '=', account)
      .where('file_name', '=', fileName)
      .where('removed_at', 'is', null)
      .$if(creator !== null, (query) => query.where('creator', '=', creator))
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(limit)
      .offset(skip)
      .execute()
  )
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
