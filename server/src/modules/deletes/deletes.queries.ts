import type { DeleteStatus } from '@portico/contract/deletes'
import type { AccountId } from '@portico/contract/accounts'
import { type ColumnType, type Generated, type JSONColumnType, type RawBuilder, type Selectable, sql } from 'kysely'
import { retirePurls } from '#contacts'
import type { ActsAs } from '#credentials'
import type { ListedTable, Sql } from '#filters'
import { isOnCitus } from '#platform/citus/citus.ts'
import { accountTable, type BigintColumn, type Db, inAccount } from '#platform/database.ts'
import { isRowNumber } from '#platform/ids.ts'
import { type JobTable, updateJobRow } from '#platform/jobs/job-rows.ts'
import type { RestoreColumns } from './restore-columns.ts'

/** Table `deletes` of an account. */
export type DeleteTable = RestoreColumns & {
  id: Generated<string>
  /** JSON array of stages, for people to read. */
  filter: string
  deleted_records: BigintColumn
  processed_records: BigintColumn
  /** Id of the last deleted contact; contacts are deleted in the order of their ids. */
  position: ColumnType<string, string | undefined, string>
  creator: string
  created_at: Date
  status: DeleteStatus
  completed_at: Date | null
  /** An import was running when the delete ended; it may still write data of deleted contacts. */
  needs_sweep: Generated<boolean>
  /** The call that requested it, checked again before it begins; null for deletes of releases that did not store it. */
  acts_as: JSONColumnType<ActsAs> | null
  /** The reason for rejection, for users. */
  reason: string | null
  /** Consecutive attempts that deleted nothing, the present one among them. */
  stalled_attempts: Generated<number>
  /** Of a merge: the contact that stays; null for bulk deletes. */
  merged_into: string | null
}
type Tables = { deletes: DeleteTable }
const deleteJobs: JobTable<DeleteTable, 'id' | 'status'> = { name: 'deletes', seen: ['id', 'status'] }

export type DeleteRow = Selectable<DeleteTable>

/** Filter and sort fields of the list of deletes. */
export const listedDeletes: ListedTable = {
  name: 'deletes',
  fields: {
    _id: { column: 'id', type: 'id' },
    filter: { column: 'filter', type: 'string' },
    deletedRecords: { column: 'deleted_records', type: 'number' },
    processedRecords: { column: 'processed_records', type: 'number' },
    creator: { column: 'creator', type: 'string' },
    creationDate: { column: 'created_at', type: 'date' },
    status: { column: 'status', type: 'string' },
  },
}

/** Inserts a delete. Fails with a unique violation while another one of the account is in progress. */
export async function insertDelete(
  db: Db,
  account: AccountId,
  row: {
    filter: string
    deletedRecords: number
    creator: string
    actsAs: ActsAs
    bindingImports: readonly number[]
    now: Date
  },
): Promise<string> {
  const { id } = await inAccount<Tables>(db, account)
    .insertInto('deletes')
    .values({
      filter: row.filter,
      deleted_records: row.deletedRecords,
      creator: row.creator,
      created_at: row.now,
      status: 'processing',
      acts_as: JSON.stringify(row.actsAs),
      contents: 'kept',
      binding_imports: [...row.bindingImports],
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Fixes the contacts to delete: those that match now. Returns their number. */
export async function insertDeleteTargets(
  db: Db,
  account: AccountId,
  id: string,
  matching: { from: Sql; where: Sql | null },
): Promise<number> {
  // With Citus, an INSERT … SELECT fails on functions that are not immutable, which filters may use, unless the rows
  // come through the coordinator (ADR 0071).
  const { numAffectedRows } = await sql`
    WITH matching AS MATERIALIZED (SELECT contacts.id FROM ${matching.from} WHERE ${matching.where ?? sql`TRUE`})
    INSERT INTO ${accountTable(account, 'delete_targets')} (delete_id, contact_id)
    SELECT ${id}::bigint, matching.id FROM matching`.execute(db)
  return Number(numAffectedRows ?? 0)
}

export async function selectDelete(db: Db, account: AccountId, id: string): Promise<DeleteRow | undefined> {
  return inAccount<Tables>(db, account).selectFrom('deletes').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Finds the delete with an id as sent by a caller; undefined also for a text that is no id. */
export async function findDelete(db: Db, account: AccountId, id: string): Promise<DeleteRow | undefined> {
  return isRowNumber(id) ? selectDelete(db, account, id) : undefined
}

/** Selects the delete and locks it until the transaction ends. */
export async function lockDelete(db: Db, account: AccountId, id: string): Promise<DeleteRow | undefined> {
  return inAccount<Tables>(db, account)
    .selectFrom('deletes')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** Counts an attempt that begins, or (-1) no longer counts one. Undefined for a delete that has ended. */
export async function countAttempt(db: Db, account: AccountId, id: string, by: 1 | -1): Promise<DeleteRow | undefined> {
  return inAccount<Tables>(db, account)
    .updateTable('deletes')
    .set({ stalled_attempts: sql<number>`greatest(stalled_attempts + ${by}::int, 0)` })
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .returningAll()
    .executeTakeFirst()
}

/** Selects the next contacts after `position`, in the order of their ids. */
export async function selectDeleteTargets(
  db: Db,
  account: AccountId,
  id: string,
  position: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ contact_id: string }>`
    SELECT contact_id FROM ${accountTable(account, 'delete_targets')}
    WHERE delete_id = ${id} AND contact_id > ${position}::bigint ORDER BY contact_id LIMIT ${limit}`.execute(db)
  return rows.map(({ contact_id }) => contact_id)
}

/** Deletes rows of one table that belong to contacts; `column` holds the contact's id. */
export async function deleteOfContacts(
  db: Db,
  account: AccountId,
  table: string,
  column: 'id' | 'contact_id',
  ids: readonly string[],
): Promise<void> {
  await deleteRows(db, account, table, sql`${sql.id('t', column)} = ANY(${sql.val(ids)}::bigint[])`)
}

export async function updatePosition(
  db: Db,
  account: AccountId,
  id: string,
  { position, count, kept }: { position: string; count: number; kept: number },
): Promise<void> {
  await sql`
    UPDATE ${accountTable(account, 'deletes')}
    SET position = ${position}::bigint, stalled_attempts = 0, processed_records = processed_records + ${count}::int,
      kept_records = kept_records + ${kept}::int
    WHERE id = ${id}`.execute(db)
}

/**
 * Deletes data that an import or an application wrote after the contacts of the delete were deleted. Contacts that have returned
 * since keep theirs: both come in one transaction, so that the statement sees both or neither.
 */
export async function deleteLeftovers(
  db: Db,
  account: AccountId,
  id: string,
  table: string,
  column: 'id' | 'contact_id',
): Promise<void> {
  const targets = sql`SELECT contact_id FROM ${accountTable(account, 'delete_targets')} WHERE delete_id = ${id}`
  const contact = sql.id('t', column)
  await deleteRows(db, account, table, sql`${contact} IN (${targets}) AND ${isGone(account, contact)}`)
}

/** The same for all deleted contacts, of all deletes. */
export async function deleteOrphans(
  db: Db,
  account: AccountId,
  table: string,
  column: 'id' | 'contact_id',
): Promise<void> {
  await deleteRows(db, account, table, isGone(account, sql.id('t', column)))
}

const isGone = (account: AccountId, contact: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`NOT EXISTS (SELECT FROM ${accountTable(account, 'contacts')} AS c WHERE c.id = ${contact})`

/** Deletes rows of one table, which the condition calls `t`. PURLs of deleted contacts are never reused. */
async function deleteRows(db: Db, account: AccountId, table: string, condition: RawBuilder<unknown>): Promise<void> {
  if (table === 'contact_keys') await retirePurls(db, account, condition)
  await sql`DELETE FROM ${accountTable(account, table)} AS t WHERE ${condition}`.execute(db)
}

/** Removes contacts that the delete has not reached from its targets: they are kept. */
export async function deleteTargetsAfter(db: Db, account: AccountId, id: string, position: string): Promise<void> {
  await sql`
    DELETE FROM ${accountTable(account, 'delete_targets')}
    WHERE delete_id = ${id} AND contact_id > ${position}::bigint`.execute(db)
}

/** Records the end of a delete. `reason`: why it is rejected; null if it is completed. */
export async function updateDeleteEnded(
  db: Db,
  account: AccountId,
  id: string,
  { reason, needsSweep, now }: { reason: string | null; needsSweep: boolean; now: Date },
): Promise<void> {
  const status = reason === null ? ('completed' as const) : ('rejected' as const)
  const change = { status, reason, completed_at: now, needs_sweep: needsSweep }
  await updateJobRow(db, account, deleteJobs, { id, status: 'processing' }, change)
}

/**
 * Deletes all targets: the table only has those of the delete in progress. Row by row, since TRUNCATE on Citus needs
 * every server.
 */
export async function clearDeleteTargets(db: Db, account: AccountId): Promise<void> {
  const table = accountTable(account, 'delete_targets')
  await ((await isOnCitus(db)) ? sql`DELETE FROM ${table}` : sql`TRUNCATE ${table}`).execute(db)
}

export async function selectNeedsSweep(db: Db, account: AccountId): Promise<boolean> {
  const found = await inAccount<Tables>(db, account)
    .selectFrom('deletes')
    .select('id')
    .where('needs_sweep', '=', true)
    .executeTakeFirst()
  return found !== undefined
}

export async function updateSwept(db: Db, account: AccountId): Promise<void> {
  await inAccount<Tables>(db, account)
    .updateTable('deletes')
    .set({ needs_sweep: false })
    .where('needs_sweep', '=', true)
    .execute()
}
