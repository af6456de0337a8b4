import type { AccountId } from '@portico/contract/accounts'
import type { IndexState, SortOrder } from '@portico/contract/indexes'
import { type Generated, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { type Db, inAccount } from '#platform/database.ts'
import { nameColumns } from '#platform/name-columns.ts'
import { type JobTable, updateJobRow } from '#platform/jobs/job-rows.ts'

/** Table `indexes` of an account. */
type IndexTable = {
  id: number
  /** `field`: requested by a user; `lookup`: of a remote access, not listed; `trigram`: made by the portal for searches. */
  kind: Generated<'field' | 'lookup' | 'trigram'>
  /** With the prefix. */
  name: string
  /** `foldName` of the name, by which it is unique in the account. */
  name_key: string
  /** Number of the field in the catalogue. */
  field_1: number
  order_1: SortOrder
  field_2: number | null
  order_2: SortOrder | null
  is_unique: boolean
  creator: string
  created_at: Date
  state: IndexState
  /** The reason of a failure, for users. */
  reason: string | null
  /** Types of its fields at the last build, see `typesOf`: a field that has become text needs a rebuild. */
  built_for: string | null
  /** Number of builds begun without success. */
  attempts: Generated<number>
}
type Tables = { indexes: IndexTable }
const indexJobs: JobTable<IndexTable, 'id' | 'state'> = { name: 'indexes', seen: ['id', 'state'] }

export type IndexRow = Selectable<IndexTable>

/** The indexes that users requested. */
export async function selectIndexes(db: Db, account: AccountId): Promise<IndexRow[]> {
  return selectKind(db, account, 'field')
}

/** The indexes of remote accesses. */
export async function selectLookupIndexes(db: Db, account: AccountId): Promise<IndexRow[]> {
  return selectKind(db, account, 'lookup')
}

/** The indexes that the portal keeps for searches for parts of texts. */
export async function selectTrigramIndexes(db: Db, account: AccountId): Promise<IndexRow[]> {
  return selectKind(db, account, 'trigram')
}

function selectKind(db: Db, account: AccountId, kind: IndexRow['kind']): Promise<IndexRow[]> {
  return inAccount<Tables>(db, account)
    .selectFrom('indexes')
    .selectAll()
    .where('kind', '=', kind)
    .orderBy('id')
    .execute()
}

export async function selectIndex(db: Db, account: AccountId, id: number): Promise<IndexRow | undefined> {
  return inAccount<Tables>(db, account).selectFrom('indexes').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Inserts with the next id. Throws a unique violation when a concurrent insert took the id, the name or the fields. */
export async function insertIndex(
  db: Db,
  account: AccountId,
  row: Omit<Insertable<IndexTable>, 'id' | 'name_key'>,
): Promise<IndexRow> {
  const tables = inAccount<Tables>(db, account)
  const { last } = await tables
    .selectFrom('indexes')
    .select(({ fn }) => fn.coalesce(fn.max('id'), sql<number>`0`).as('last'))
    .executeTakeFirstOrThrow()
  return tables
    .insertInto('indexes')
    .values({ ...row, ...nameColumns(row.name), id: last + 1 })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function updateIndexName(
  db: Db,
  account: AccountId,
  { id }: Pick<IndexRow, 'id'>,
  name: string,
): Promise<void> {
  await inAccount<Tables>(db, account).updateTable('indexes').set(nameColumns(name)).where('id', '=', id).execute()
}

/** Changes an index that is still in the given state; returns whether it was. */
export async function updateIndex(
  db: Db,
  account: AccountId,
  id: number,
  state: IndexState,
  change: Updateable<IndexTable>,
): Promise<boolean> {
  return (await updateJobRow(db, account, indexJobs, { id, state }, change)) !== undefined
}

/** Marks an index in any state for deletion; returns false if it was marked before. */
export async function updateDeleting(db: Db, account: AccountId, id: number): Promise<boolean> {
  const { numUpdatedRows } = await inAccount<Tables>(db, account)
    .updateTable('indexes')
    .set({ state: 'deleting', reason: null })
    .where('id', '=', id)
    .where('state', '<>', 'deleting')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteIndexRow(db: Db, account: AccountId, id: number): Promise<void> {
  await inAccount<Tables>(db, account).deleteFrom('indexes').where('id', '=', id).execute()
}
