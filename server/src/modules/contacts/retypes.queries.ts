import type { FieldType } from '@portico/contract/contacts'
import type { ColumnReading } from '@portico/contract/imports'
import type { JobStatus } from '@portico/contract/jobs'
import type { AccountId } from '@portico/contract/accounts'
import { type ColumnType, type Generated, type JSONColumnType, type Selectable, sql, type Updateable } from 'kysely'
import type { Via } from '#platform/actor.ts'
import { accountTable, type BigintColumn, type Db, inAccount } from '#platform/database.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'
import type { JobTable } from '#platform/jobs/job-rows.ts'
import { columnType, createPart, partTable, valueText } from './fields.queries.ts'

/** Table `field_retypes` of an account: one row per change of a field's type. */
type RetypeTable = {
  id: Generated<number>
  field: number
  reading: JSONColumnType<ColumnReading>
  status: JobStatus
  recovery_count: Generated<number>
  recovery_error: string | null
  last_activity_at: Date | null
  creator: string
  via: JSONColumnType<Via> | null
  created_at: Date
  column_no: number | null
  part: number | null
  position: ColumnType<string, string | undefined, string>
  done: BigintColumn
  total: BigintColumn
  kept: BigintColumn
  last_change: ColumnType<string, string | undefined, string>
  left_column: number | null
  left_part: number | null
}
type Tables = { field_retypes: RetypeTable }

export type RetypeRow = Selectable<RetypeTable>

export const retypeJobs: JobTable<RetypeTable, 'id' | 'status' | 'recovery_count'> = {
  name: 'field_retypes',
  seen: ['id', 'status', 'recovery_count'],
}

const ended: JobStatus[] = ['completed', 'rejected']

/** Inserts a change of a type. Fails with a unique violation while another change of the field has not ended. */
export async function insertRetype(
  db: Db,
  account: AccountId,
  {
    field,
    reading,
    creator,
    via,
    now,
  }: { field: number; reading: ColumnReading; creator: string; via?: Via; now: Date },
): Promise<number> {
  // An ended change has no information that the audit log lacks.
  await inAccount<Tables>(db, account)
    .deleteFrom('field_retypes')
    .where('field', '=', field)
    .where('status', 'in', ended)
    .where('left_column', 'is', null)
    .execute()
  const { id } = await inAccount<Tables>(db, account)
    .insertInto('field_retypes')
    .values({
      field,
      reading: JSON.stringify(reading),
      status: 'waiting',
      creator,
      via: via ? JSON.stringify(via) : null,
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function selectRetype(db: Db, account: AccountId, id: number): Promise<RetypeRow | undefined> {
  return inAccount<Tables>(db, account).selectFrom('field_retypes').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Locks a change of a type until the end of the transaction. */
export async function lockRetype(db: Db, account: AccountId, id: number): Promise<RetypeRow | undefined> {
  return inAccount<Tables>(db, account)
    .selectFrom('field_retypes')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** The latest change of type of each field. */
export async function selectLastRetypes(db: Db, account: AccountId): Promise<Map<number, RetypeRow>> {
  const rows = await inAccount<Tables>(db, account)
    .selectFrom('field_retypes')
    .selectAll()
    .distinctOn('field')
    .orderBy('field')
    .orderBy('id', 'desc')
    .execute()
  return new Map(rows.map((row) => [row.field, row]))
}

/** Whether the type of some field is being changed or is going to be. */
export async function hasUnendedRetype(db: Db, account: AccountId): Promise<boolean> {
  const row = await inAccount<Tables>(db, account)
    .selectFrom('field_retypes')
    .select('id')
    .where('status', 'not in', ended)
    .executeTakeFirst()
  return row !== undefined
}

export async function updateRetype(
  db: Db,
  account: AccountId,
  id: number,
  change: Omit<Updateable<RetypeTable>, 'id' | 'field' | 'reading' | 'recovery_count'>,
): Promise<void> {
  await inAccount<Tables>(db, account).updateTable('field_retypes').set(change).where('id', '=', id).execute()
}

/** Ends a field's unfinished change of type, with a reason for users. Its column is removed later. */
export async function rejectRetype(
  db: Db,
  account: AccountId,
  field: number,
  { reason, now }: { reason: string; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await inAccount<Tables>(db, account)
    .updateTable('field_retypes')
    .set((row) => ({
      status: 'rejected' as const,
      recovery_error: reason,
      last_activity_at: now,
      left_column: row.ref('column_no'),
      left_part: row.ref('part'),
    }))
    .where('field', '=', field)
    .where('status', 'not in', ended)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Locks the changes of types that ended before a moment and left an unused column. */
export async function lockLeftColumns(db: Db, account: AccountId, before: Date): Promise<RetypeRow[]> {
  return inAccount<Tables>(db, account)
    .selectFrom('field_retypes')
    .selectAll()
    .where('left_column', 'is not', null)
    .where('status', 'in', ended)
    .where('last_activity_at', '<', before)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** A column that is being filled, and its table. */
export type FilledColumn = { column: number; part: number; type: FieldType }

export async function addFilledColumn(db: Db, account: AccountId, { column, part, type }: FilledColumn): Promise<void> {
  if (part > 1) await createPart(db, account, part)
  const table = accountTable(account, partTable(part))
  await sql`ALTER TABLE ${table} ADD COLUMN ${sql.id(`c${column}`)} ${columnType(type)}`.execute(db)
}

/**
 * Keeps fields in their columns until the end of the transaction, for code that reads the catalog and then writes a
 * contact. Fails (`isLockTimeout`) while a field moves to another column.
 */
export async function holdColumns(db: Db, account: AccountId): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock_shared(${columnsKey(account)}::bigint)`.execute(db)
}

/**
 * Waits until no transaction holds the columns (`holdColumns`), and prevents new holds until the end of the
 * transaction. Reads continue.
 */
export async function lockColumns(db: Db, account: AccountId): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${columnsKey(account)}::bigint)`.execute(db)
}

const columnsKey = (account: AccountId): string => String(accountLock('fieldColumns', account))

/** The approximate number of contacts of the account; exact if there are few. */
export async function countAllContacts(db: Db, account: AccountId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::float8 AS count FROM ${accountTable(account, 'contacts')}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Writes values, as their texts, into a column of contacts. Contacts that no longer exist are skipped. */
export async function fillColumn(
  db: Db,
  account: AccountId,
  { column, part, type }: FilledColumn,
  values: readonly { id: string; value: string | null }[],
): Promise<void> {
  if (values.length === 0) return
  const name = sql.id(`c${column}`)
  const rows = sql`unnest(${values.map(({ id }) => id)}::bigint[],
    ${values.map(({ value }) => value)}::${columnType(type)}[]) AS v (id, value)`
  await (
    part === 1
      ? sql`UPDATE ${accountTable(account, 'contacts')} AS c SET ${name} = v.value FROM ${rows} WHERE c.id = v.id`
      : sql`
        INSERT INTO ${accountTable(account, partTable(part))} (id, ${name}) SELECT v.id, v.value FROM ${rows}
        ON CONFLICT (id) DO UPDATE SET ${name} = excluded.${name}`
  ).execute(db)
}

/** Removes rows of a further part table whose contacts were deleted while it was filled. */
export async function deletePartsOfDeleted(db: Db, account: AccountId, part: number): Promise<void> {
  if (part === 1) return
  await sql`
    DELETE FROM ${accountTable(account, partTable(part))} AS p
    WHERE NOT EXISTS (SELECT FROM ${accountTable(account, 'contacts')} AS c WHERE c.id = p.id)`.execute(db)
}

/**
 * The same values in the portal's format (`valueText`), in the order given. Moments without a time zone use the
 * session's.
 */
export async function normalizeTexts(db: Db, type: FieldType, texts: readonly string[]): Promise<string[]> {
  if (type === 'string' || texts.length === 0) return [...texts]
  const { rows } = await sql<{ text: string }>`
    SELECT ${valueText(sql`t.text::${columnType(type)}`, type)} AS text
    FROM unnest(${[...texts]}::text[]) WITH ORDINALITY AS t (text, at) ORDER BY t.at`.execute(db)
  return rows.map(({ text }) => text)
}
