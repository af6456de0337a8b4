import type { FieldType } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/accounts'
import type { FieldFormat } from '@portico/domain/field-format'
import { type Selectable, sql } from 'kysely'
import { accountSchema, accountTable, type Db, inAccount } from '#platform/database.ts'
import { changedNameColumns, nameColumns } from '#platform/name-columns.ts'
import { columnName, type FieldTables, partTable } from './fields.queries.ts'
import { deleteWrittenTexts } from './written-texts.queries.ts'

// The field catalog for the users who maintain it: everything known about a field without reading contacts.

export type CatalogueRow = Selectable<FieldTables['fields']>

export async function selectCatalogue(db: Db, account: AccountId): Promise<CatalogueRow[]> {
  return inAccount<FieldTables>(db, account).selectFrom('fields').selectAll().orderBy('id').execute()
}

/** Locks a field until the end of the transaction. */
export async function lockField(db: Db, account: AccountId, id: number): Promise<CatalogueRow | undefined> {
  return inAccount<FieldTables>(db, account)
    .selectFrom('fields')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** Changes the name and the format of a field. Throws a unique violation when another field already has the name. */
export async function updateField(
  db: Db,
  account: AccountId,
  before: Pick<CatalogueRow, 'id' | 'name'>,
  { name, format, ...next }: { name: string; format: FieldFormat | null; version: number; saves: string },
): Promise<void> {
  await inAccount<FieldTables>(db, account)
    .updateTable('fields')
    .set({
      ...changedNameColumns(name, before.name),
      format: format && JSON.stringify(format),
      changed_at: new Date(),
      ...next,
    })
    .where('id', '=', before.id)
    .execute()
}

/** Gives a field another type, and another column for its values. */
export async function updateFieldColumn(
  db: Db,
  account: AccountId,
  id: number,
  { type, column, part, ...next }: { type: FieldType; column: number; part: number; version: number; saves: string },
): Promise<void> {
  await inAccount<FieldTables>(db, account)
    .updateTable('fields')
    .set({ type, column_no: column, part, has_codes: false, changed_at: new Date(), ...next })
    .where('id', '=', id)
    .execute()
}

/** Hides a field and frees its name for another field: its key becomes one that no name has. */
export async function markDeleted(db: Db, account: AccountId, id: number, by: string): Promise<void> {
  await inAccount<FieldTables>(db, account)
    .updateTable('fields')
    .set({ deleted_at: new Date(), deleted_by: by, name_key: crypto.randomUUID() })
    .where('id', '=', id)
    .execute()
}

/** Shows a deleted field again. Throws a unique violation when another field now has its name. */
export async function markRestored(
  db: Db,
  account: AccountId,
  { id, name }: Pick<CatalogueRow, 'id' | 'name'>,
): Promise<void> {
  await inAccount<FieldTables>(db, account)
    .updateTable('fields')
    .set({ deleted_at: null, deleted_by: null, ...nameColumns(name) })
    .where('id', '=', id)
    .execute()
}

/** Locks the fields that were deleted before a moment. */
export async function lockDeletedFields(db: Db, account: AccountId, before: Date): Promise<CatalogueRow[]> {
  return inAccount<FieldTables>(db, account)
    .selectFrom('fields')
    .selectAll()
    .where('deleted_at', '<', before)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Removes a field with its values. This is instant: the database drops a column without reading the table. */
export async function dropField(
  db: Db,
  account: AccountId,
  field: Pick<CatalogueRow, 'id' | 'part' | 'column_no'>,
): Promise<void> {
  await dropColumn(db, account, { column: field.column_no ?? field.id, part: field.part })
  await inAccount<FieldTables>(db, account).deleteFrom('fields').where('id', '=', field.id).execute()
}

/** Removes a column by its number, and the written texts kept for it. */
export async function dropColumn(
  db: Db,
  account: AccountId,
  { column, part }: { column: number; part: number },
): Promise<void> {
  // Done first: from the next statement to the end of the transaction, contacts cannot be read.
  await deleteWrittenTexts(db, account, column)
  const table = accountTable(account, partTable(part))
  await sql`ALTER TABLE IF EXISTS ${table} DROP COLUMN IF EXISTS ${sql.id(`c${column}`)}`.execute(db)
}

/** Whether any contact has a value of a field. */
export async function hasValues(
  db: Db,
  account: AccountId,
  field: Pick<CatalogueRow, 'id' | 'part' | 'column_no'>,
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (
      SELECT FROM ${accountTable(account, partTable(field.part))} WHERE ${sql.id(columnName(field))} IS NOT NULL
    ) AS found`.execute(db)
  return rows[0]?.found ?? false
}

export type ColumnStatistics = { filled: number; distinct: number }

/** The planner's estimates for fields of contacts, by field id; none for a table that has not been analyzed yet. */
export async function selectColumnStatistics(
  db: Db,
  account: AccountId,
  fields: readonly Pick<CatalogueRow, 'id' | 'part' | 'column_no'>[],
): Promise<Map<number, ColumnStatistics>> {
  const schema = accountSchema(account)
  const tables = [...new Set(fields.map(({ part }) => partTable(part)))]
  const { rows } = await sql<{ column: string; filled: number; distinct: number; rows: number }>`
    SELECT stats.attname AS column, 1 - stats.null_frac AS filled, stats.n_distinct AS distinct, tables.reltuples AS rows
    FROM pg_stats stats
    JOIN pg_class tables ON tables.relname = stats.tablename AND tables.relnamespace = to_regnamespace(stats.schemaname)
    WHERE stats.schemaname = ${schema} AND stats.tablename = ANY (${sql.val(tables)}::text[])
      AND tables.reltuples >= 0`.execute(db)
  // A negative number is a fraction of the rows.
  const byColumn = new Map(
    rows.map(({ column, filled, distinct, rows: all }) => [
      column,
      { filled, distinct: Math.round(distinct < 0 ? -distinct * all : distinct) },
    ]),
  )
  return new Map(
    fields.flatMap((field) => {
      const found = byColumn.get(columnName(field))
      return found ? [[field.id, found] as const] : []
    }),
  )
}
