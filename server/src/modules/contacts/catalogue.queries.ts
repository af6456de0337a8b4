import type { FieldType } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/accounts'
import type { FieldFormat } from '@portico/domain/field-format'
import { type Selectable, sql } from 'kysely'
import { accountSchema, type Db, inAccount } from '#platform/database.ts'
import { changedNameColumns } from '#platform/name-columns.ts'
import { columnName, type FieldTables, partTable } from './fields.queries.ts'

// The catalogue of fields for the people who keep it: all that is known of a field without reading contacts.

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

/** Changes the name and the format of a field. Throws a unique violation when another field has the name. */
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

export type ColumnStatistics = { filled: number; distinct: number }

/** The planner's estimates for fields of contacts, by field id; none for a table that was not analyzed yet. */
export async function selectColumnStatistics(
  db: Db,
  account: AccountId,
  fields: readonly { id: number; part: number; type: FieldType }[],
): Promise<Map<number, ColumnStatistics>> {
  const schema = accountSchema(account)
  const tables = [...new Set(fields.map(({ part }) => partTable(part)))]
  const { rows } = await sql<{ column: string; filled: number; distinct: number; rows: number }>`
    SELECT stats.attname AS column, 1 - stats.null_frac AS filled, stats.n_distinct AS distinct, tables.reltuples AS rows
    FROM pg_stats stats
    JOIN pg_class tables ON tables.relname = stats.tablename AND tables.relnamespace = to_regnamespace(stats.schemaname)
    WHERE stats.schemaname = ${schema} AND stats.tablename = ANY (${sql.val(tables)}::text[])
      AND tables.reltuples >= 0`.execute(db)
  // A negative number is a share of the rows.
  const byColumn = new Map(
    rows.map(({ column, filled, distinct, rows: all }) => [
      column,
      { filled, distinct: Math.round(distinct < 0 ? -distinct * all : distinct) },
    ]),
  )
  return new Map(
    fields.flatMap(({ id }) => {
      const found = byColumn.get(columnName(id))
      return found ? [[id, found] as const] : []
    }),
  )
}
