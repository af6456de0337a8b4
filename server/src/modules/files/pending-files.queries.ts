import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'

type PendingTables = { pending_files: { storage_key: string; account_id: number | null; seen_at: Date } }

/** Records a file that no other record may name yet; `account` is null for the portal's own files. */
export async function upsertPendingFile(
  db: Db,
  account: AccountId | null,
  storageKey: string,
  at: Date,
): Promise<void> {
  await control<PendingTables>(db)
    .insertInto('pending_files')
    .values({ storage_key: storageKey, account_id: account, seen_at: at })
    .onConflict((conflict) => conflict.column('storage_key').doUpdateSet({ seen_at: at }))
    .execute()
}

export async function updatePendingSeen(
  db: Db,
  account: AccountId | null,
  storageKeys: readonly string[],
  at: Date,
): Promise<void> {
  await control<PendingTables>(db)
    .updateTable('pending_files')
    .set({ seen_at: at })
    .where('account_id', 'is not distinct from', account)
    .where('storage_key', 'in', [...storageKeys])
    .execute()
}

/** Deletes a row, unless a process has worked on its file since `before`. */
export async function deletePendingFile(
  db: Db,
  account: AccountId | null,
  storageKey: string,
  before: Date,
): Promise<void> {
  await control<PendingTables>(db)
    .deleteFrom('pending_files')
    .where('account_id', 'is not distinct from', account)
    .where('storage_key', '=', storageKey)
    .where('seen_at', '<=', before)
    .execute()
}

/** Selects keys of an account that no process has worked on since `before`, in the order of keys after `after`. */
export async function selectPendingFiles(
  db: Db,
  account: AccountId | null,
  { before, after, limit }: { before: Date; after: string; limit: number },
): Promise<string[]> {
  const rows = await control<PendingTables>(db)
    .selectFrom('pending_files')
    .select('storage_key')
    .where('account_id', 'is not distinct from', account)
    .where('seen_at', '<=', before)
    .where('storage_key', '>', after)
    .orderBy('storage_key')
    .limit(limit)
    .execute()
  return rows.map((row) => row.storage_key)
}

/** Selects the accounts with pending files; null for the portal's own files. */
export async function selectPendingAccounts(db: Db, before: Date): Promise<(AccountId | null)[]> {
  const { rows } = await sql<{ account: AccountId | null }>`
    SELECT DISTINCT account_id AS account FROM portico.pending_files WHERE seen_at <= ${before}`.execute(db)
  return rows.map(({ account }) => account)
}
