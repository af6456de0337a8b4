import type { FieldType } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/accounts'
import type { FieldFormat } from '@portico/domain/field-format'
import { type ColumnType, type Generated, type RawBuilder, sql } from 'kysely'
import { accountSchema, accountTable, type Db, inAccount } from '#platform/database.ts'
import { nameColumns } from '#platform/name-columns.ts'
import type { VersionColumns } from '#platform/rows/versions.ts'
import { lookupIndexPrefix } from './lookup-index-name.ts'

export type FieldTables = {
  fields: VersionColumns & {
    id: number
    name: string
    name_key: string
    type: FieldType
    part: number
    /** The number of its column once its type was changed; null while the column has the field's own number. */
    column_no: ColumnType<number | null, number | null | undefined, number | null>
    created_at: Date
    format: ColumnType<FieldFormat | null, string | null | undefined, string | null>
    has_codes: Generated<boolean>
    /** When a user last changed its name or format. */
    changed_at: Date | null
    /** When a user deleted it, and which one; null for a field that is shown. */
    deleted_at: Date | null
    deleted_by: string | null
  }
  /** A table with a single row. `last`: the highest number that a field has had. */
  field_numbers: { id: number; last: number }
}

/**
 * A row of the field catalog. `format`: chosen by a user; `has_codes`: numbers without a format are shown without
 * separators.
 */
export type FieldRow = {
  id: number
  name: string
  type: FieldType
  part: number
  column_no: number | null
  format: FieldFormat | null
  has_codes: boolean
}

/** The fields of contacts, without deleted ones. */
export async function selectFields(db: Db, account: AccountId): Promise<FieldRow[]> {
  return inAccount<FieldTables>(db, account)
    .selectFrom('fields')
    .select(['id', 'name', 'type', 'part', 'column_no', 'format', 'has_codes'])
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
}

/**
 * The tables that hold values of contacts: `contacts`, `contacts_2`, … Includes tables whose fields are all deleted,
 * and tables that a change of a type is filling or has left.
 */
export async function selectPartTables(db: Db, account: AccountId): Promise<string[]> {
  const { rows } = await sql<{ part: number }>`
    SELECT part FROM ${accountTable(account, 'fields')}
    UNION SELECT part FROM ${accountTable(account, 'field_retypes')} WHERE part IS NOT NULL
    UNION SELECT left_part FROM ${accountTable(account, 'field_retypes')} WHERE left_part IS NOT NULL
    ORDER BY part`.execute(db)
  return [...new Set([1, ...rows.map(({ part }) => part)])].map(partTable)
}

/** The highest number that a field has had, locked until the end of the transaction; 0 before the first field. */
export async function lockLastFieldNumber(db: Db, account: AccountId): Promise<number> {
  const { last } = await inAccount<FieldTables>(db, account)
    .selectFrom('field_numbers')
    .select('last')
    .forUpdate()
    .executeTakeFirstOrThrow()
  return last
}

export async function updateLastFieldNumber(db: Db, account: AccountId, last: number): Promise<void> {
  await inAccount<FieldTables>(db, account).updateTable('field_numbers').set({ last }).execute()
}

export async function insertField(db: Db, account: AccountId, field: FieldRow): Promise<void> {
  const { id, type, part } = field
  await inAccount<FieldTables>(db, account)
    .insertInto('fields')
    .values({ id, type, part, ...nameColumns(field.name), created_at: new Date() })
    .execute()
}

export async function updateFieldType(db: Db, account: AccountId, id: number, type: FieldType): Promise<void> {
  await inAccount<FieldTables>(db, account).updateTable('fields').set({ type }).where('id', '=', id).execute()
}

type NewColumn = Pick<FieldRow, 'id' | 'column_no' | 'part' | 'type'>

/** Creates the table of part 2 or later: `contacts_2`, `contacts_3`, … with the contact's id as its key. */
export async function createPart(db: Db, account: AccountId, part: number): Promise<void> {
  await sql`CREATE TABLE IF NOT EXISTS ${accountTable(account, partTable(part))} (id bigint PRIMARY KEY)`.execute(db)
}

export async function addColumn(db: Db, account: AccountId, field: NewColumn): Promise<void> {
  const table = accountTable(account, partTable(field.part))
  await sql`ALTER TABLE ${table} ADD COLUMN ${sql.id(columnName(field))} ${columnType(field.type)}`.execute(db)
}

/**
 * Turns a typed column into a wider type: days into moments, anything into text (see `valueText`). Drops the lookup
 * indexes of the column, whose expressions use the earlier type. Imports restore them in the same transaction.
 * @param timeZone in which days begin
 */
export async function widenColumn(
  db: Db,
  account: AccountId,
  field: FieldRow,
  { type, timeZone }: { type: 'string' | 'date'; timeZone: string },
): Promise<void> {
  await dropLookupIndexes(db, account, field)
  const table = accountTable(account, partTable(field.part))
  const column = sql.id(columnName(field))
  // ALTER TABLE takes no parameters; the zone is one that PostgreSQL knows.
  const value = type === 'date' ? startOfDay(column, sql.lit(timeZone)) : valueText(column, field.type)
  await sql`ALTER TABLE ${table} ALTER COLUMN ${column} TYPE ${columnType(type)} USING ${value}`.execute(db)
}

/**
 * SQL for the moment at which a day begins in a time zone, immutable: the first midnight where clocks show it twice,
 * the end of the gap where they skip it, as in `momentOf` of the domain (ADR 0131), but never before the first moment
 * that a field can hold. Repeats `day` several times.
 */
export function startOfDay(day: RawBuilder<unknown>, timeZone: RawBuilder<unknown>): RawBuilder<unknown> {
  const midnight = sql`(${day})::timestamp`
  const zone = sql`${timeZone}::text`
  // PostgreSQL takes the later of two midnights. More than a day before, clocks have not yet been put back.
  const earlier = sql`((${midnight} - interval '26 hours') AT TIME ZONE ${zone} AT TIME ZONE 'UTC' + interval '26 hours') AT TIME ZONE 'UTC'`
  const ifShown = sql`CASE WHEN ${earlier} AT TIME ZONE ${zone} >= ${midnight} THEN ${earlier} END`
  const first = sql`CASE WHEN ${midnight} >= '1000-01-01'::timestamp THEN '1000-01-01T00:00:00Z'::timestamptz END`
  return sql`greatest(least(${midnight} AT TIME ZONE ${zone}, ${ifShown}), ${first})`
}

async function dropLookupIndexes(db: Db, account: AccountId, field: FieldRow): Promise<void> {
  const schema = accountSchema(account)
  const { rows } = await sql<{ name: string }>`
    SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid = to_regclass(${`${schema}.${partTable(field.part)}`})
      AND c.relname LIKE ${`${lookupIndexPrefix.replaceAll('_', '\\_')}%`}
      AND ${columnName(field)} = ANY (string_to_array(c.relname, '_'))`.execute(db)
  for (const { name } of rows) await sql`DROP INDEX IF EXISTS ${sql.id(schema, name)}`.execute(db)
}

/**
 * SQL for the text of a typed value, used wherever a value becomes text: 12.5, true, 2026-01-31T00:00:00.000Z or
 * 2026-01-31.
 */
export function valueText(value: RawBuilder<unknown>, type: FieldType): RawBuilder<unknown> {
  switch (type) {
    case 'string':
      return value
    case 'number':
      // Via numeric, since float8 writes large and small values with exponents.
      return sql`trim_scale(${value}::numeric)::text`
    case 'boolean':
      return sql`${value}::text`
    case 'date':
      return sql`to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    case 'day':
      return sql`to_char(${value}, 'YYYY-MM-DD')`
  }
}

/** The table with the columns of a part. */
export function partTable(part: number): string {
  return part === 1 ? 'contacts' : `contacts_${part}`
}

/** The physical column of a field. */
export function columnName({ id, column_no: number }: Pick<FieldRow, 'id' | 'column_no'>): string {
  return `c${number ?? id}`
}

const columnTypes: Record<FieldType, string> = {
  string: 'text',
  number: 'double precision',
  boolean: 'boolean',
  // Milliseconds, the precision of everything that reads moments: the API, filters, keys and files.
  date: 'timestamptz(3)',
  day: 'date',
}

/** Whether a contact column of an earlier release stores moments with higher precision than `columnType` does. */
export async function hasFinerColumn(db: Db, account: AccountId, columns: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = ${`${accountSchema(account)}.contacts`}::regclass
      AND attname = ANY (${[...columns]}::text[]) AND atttypmod = -1) AS found`.execute(db)
  return rows[0]?.found ?? false
}

/** The PostgreSQL type of a field type, as raw SQL. */
export function columnType(type: FieldType) {
  return sql.raw(columnTypes[type])
}
