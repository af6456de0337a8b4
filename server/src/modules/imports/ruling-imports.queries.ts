import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { type Db, inAccount } from '#platform/database.ts'
import type { ImportPlan } from './import-plan.ts'
import type { ImportRow, ImportTable } from './imports.queries.ts'

type Tables = { imports: ImportTable }

/** An import that has loaded contacts, with the settings that determine their keys. */
export type RulingImport = ImportRow & { plan: ImportPlan }

/** Selects the imports whose settings bind later ones, last first. */
export async function selectRulingImports(db: Db, account: AccountId): Promise<RulingImport[]> {
  const rows = await inAccount<Tables>(db, account)
    .selectFrom('imports')
    .selectAll()
    .where('kind', '=', 'contacts')
    .where('binds', '=', true)
    .where('processed_records', '>', 0)
    .where('plan', 'is not', null)
    .orderBy('id', 'desc')
    .execute()
  // An import of contacts has a plan for contacts.
  return rows.map((row) => ({ ...row, plan: row.plan as ImportPlan }))
}

/** The rules of an import that has loaded contacts, even if it no longer binds. */
export type ImportRules = Pick<ImportRow, 'id' | 'name' | 'binds' | 'purl_scope' | 'dedup_columns' | 'column_mapping'>

export async function selectImportRules(db: Db, account: AccountId): Promise<ImportRules[]> {
  return inAccount<Tables>(db, account)
    .selectFrom('imports')
    .select(['id', 'name', 'binds', 'purl_scope', 'dedup_columns', 'column_mapping'])
    .where('kind', '=', 'contacts')
    .where('processed_records', '>', 0)
    .where('plan', 'is not', null)
    .orderBy('id')
    .execute()
}

/** Selects the imports whose changes are recorded and that were not undone. */
export async function selectRecordingImports(db: Db, account: AccountId): Promise<number[]> {
  const rows = await inAccount<Tables>(db, account)
    .selectFrom('imports')
    .select('id')
    .where('records_changes', '=', true)
    .where((eb) => eb.or([eb('undo_status', 'is', null), eb('undo_status', '<>', 'completed')]))
    .execute()
  return rows.map(({ id }) => id)
}

/** Selects the imports of contacts that were undone. */
export async function selectUndoneImports(db: Db, account: AccountId): Promise<number[]> {
  const rows = await inAccount<Tables>(db, account)
    .selectFrom('imports')
    .select('id')
    .where('kind', '=', 'contacts')
    .where('undo_status', '=', 'completed')
    .where('plan', 'is not', null)
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Returns whether an import of contacts is running or being undone. Waiting ones begin only after the end of the
 * transaction. Fails (`isLockTimeout`) while the row of one is being written.
 */
export async function holdImports(db: Db, account: AccountId): Promise<boolean> {
  const unended = inAccount<Tables>(db, account)
    .selectFrom('imports')
    .select(['status', 'undo_status'])
    .where('kind', '=', 'contacts')
    .where((eb) =>
      eb.or([eb('status', 'not in', ['completed', 'rejected']), eb('undo_status', 'in', ['waiting', 'processing'])]),
    )
    .orderBy('id')
  const isRunning = (rows: Pick<ImportRow, 'status' | 'undo_status'>[]): boolean =>
    rows.some(
      ({ status, undo_status: undo }) =>
        undo === 'processing' || !['waiting', 'completed', 'rejected'].includes(status),
    )
  // First without a lock, since locking would wait for a running one.
  return isRunning(await unended.execute()) || isRunning(await unended.forShare().execute())
}

/** Returns whether an import has not ended. */
export async function isUnended(db: Db, account: AccountId, id: number): Promise<boolean> {
  const row = await inAccount<Tables>(db, account)
    .selectFrom('imports')
    .select('id')
    .where('id', '=', id)
    .where('status', 'not in', ['completed', 'rejected'])
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the name of the import of contacts that ran at a moment. */
export async function selectImportAt(db: Db, account: AccountId, at: Date): Promise<string | undefined> {
  const row = await inAccount<Tables>(db, account)
    .selectFrom('imports')
    .select('name')
    .where('kind', '=', 'contacts')
    .where('started_at', '<=', at)
    .where(sql<boolean>`coalesce(last_activity_at, started_at) >= ${at}`)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return row?.name
}
