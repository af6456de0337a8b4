import type { AccountId } from '@portico/contract/accounts'
import type { FieldType } from '@portico/contract/contacts'
import { type RawBuilder, sql } from 'kysely'
import { type ContactText, startOfDay, valueText } from '#contacts'
import type { EventIds } from '#imports'
import { accountTable, type Db } from '#platform/database.ts'
import { type KeptContacts, rowsOf } from './kept-rows.queries.ts'

// Restores rows removed by a bulk delete to their tables.

type Sql = RawBuilder<unknown>

/**
 * A column to restore: the type in which it was kept, and an expression for its value if that is not the kept one
 * (`x`).
 */
export type ReturnedColumn = { column: string; type: string; value?: Sql }

/** The type in which a value of a field was kept, with the same precision as its column. */
export const keptType: Record<FieldType, string> = {
  string: 'text',
  number: 'double precision',
  boolean: 'boolean',
  date: 'timestamptz',
  day: 'date',
}

const columnsOf = (types: Record<string, string>): ReturnedColumn[] =>
  Object.entries(types).map(([column, type]) => ({ column, type }))

const record = (columns: readonly ReturnedColumn[]): Sql =>
  sql`x (${sql.join(columns.map(({ column, type }) => sql`${sql.id(column)} ${sql.raw(type)}`))})`

/**
 * Inserts the kept rows of contacts into one table. `where`: a condition on their values (`x`); `ifMissing`: except those
 * that exist.
 */
async function insertReturned(
  db: Db,
  account: AccountId,
  contacts: KeptContacts,
  {
    table,
    columns,
    where,
    ifMissing = false,
  }: { table: string; columns: readonly ReturnedColumn[]; where?: Sql; ifMissing?: boolean },
): Promise<void> {
  const names = columns.map(({ column }) => sql.id(column))
  const values = columns.map(({ column, value }) => sql`${value ?? sql.id('x', column)} AS ${sql.id(column)}`)
  // Through the coordinator of a cluster, as the functions that turn texts into moments are not immutable.
  await sql`
    WITH kept AS MATERIALIZED (
      SELECT ${sql.join(values)}
      FROM ${accountTable(account, 'deleted_rows')} AS d CROSS JOIN LATERAL jsonb_to_record(d.data) AS ${record(columns)}
      WHERE ${rowsOf(contacts, table)} ${where ? sql`AND ${where}` : sql``}
    )
    INSERT INTO ${accountTable(account, table)} (${sql.join(names)}) SELECT ${sql.join(names)} FROM kept
    ${ifMissing ? sql`ON CONFLICT DO NOTHING` : sql``}`.execute(db)
}

/** Restores contacts with the columns of table `contacts`; the given moment is their time of change. */
export async function returnContacts(
  db: Db,
  account: AccountId,
  contacts: KeptContacts,
  { columns, now }: { columns: readonly ReturnedColumn[]; now: Date },
): Promise<void> {
  const own: ReturnedColumn[] = [
    ...columnsOf({ id: 'bigint', import_id: 'integer' }),
    // The update of the full-text index finds contacts by their time of change.
    { column: 'updated_at', type: 'timestamptz', value: sql`${now}::timestamptz` },
  ]
  await insertReturned(db, account, contacts, { table: 'contacts', columns: [...own, ...columns] })
}

/** Restores the columns of a further table. */
export async function returnPart(
  db: Db,
  account: AccountId,
  contacts: KeptContacts,
  { table, columns }: { table: string; columns: readonly ReturnedColumn[] },
): Promise<void> {
  await insertReturned(db, account, contacts, { table, columns: [...columnsOf({ id: 'bigint' }), ...columns] })
}

/** Restores keys and events, except the events with some ids. */
export async function returnKeysAndEvents(
  db: Db,
  account: AccountId,
  contacts: KeptContacts,
  except: readonly EventIds[],
): Promise<void> {
  const keys = columnsOf({
    id: 'bigint',
    dedup_hash: 'uuid',
    purl_scope: 'integer',
    base_purl: 'text',
    purl_number: 'integer',
    latitude: 'double precision',
    longitude: 'double precision',
  })
  await insertReturned(db, account, contacts, { table: 'contact_keys', columns: keys })
  const texts = ['app_code', 'event_path', 'event_element', 'browser', 'os', 'ip', 'pdid']
  const events = columnsOf({
    id: 'uuid',
    contact_id: 'bigint',
    event_code: 'text',
    event_date: 'timestamptz',
    ...Object.fromEntries(texts.map((column) => [column, 'text'])),
    is_trigger: 'boolean',
    details: 'jsonb',
  })
  // Events have the ids that their senders gave them: one that was sent again since, for another contact, is there already.
  const [first, last] = [except.map((ids) => ids.first), except.map((ids) => ids.last)]
  const where = sql`NOT EXISTS (
    SELECT FROM unnest(${sql.val(first)}::uuid[], ${sql.val(last)}::uuid[]) AS gone (first, last)
    WHERE x.id BETWEEN gone.first AND gone.last)`
  await insertReturned(db, account, contacts, { table: 'events', columns: events, where, ifMissing: true })
  await returnMergedKeys(db, account, contacts)
}

/** The names of custom fields that kept events have. */
export async function selectKeptEventFields(db: Db, account: AccountId, contacts: KeptContacts): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT DISTINCT jsonb_object_keys(d.data -> 'details') AS name FROM ${accountTable(account, 'deleted_rows')} AS d
    WHERE ${rowsOf(contacts, 'events')} AND jsonb_typeof(d.data -> 'details') = 'object'`.execute(db)
  return rows.map(({ name }) => name)
}

/** Restores the keys that contacts had from merges, except those undone since, and dedup keys that others have by now. */
async function returnMergedKeys(db: Db, account: AccountId, contacts: KeptContacts): Promise<void> {
  const types = { delete_id: 'bigint', place: 'integer', contact_id: 'bigint' }
  const ofPurl = { purl_scope: 'integer', base_purl: 'text', purl_number: 'integer' }
  const heldBy = (table: string, id: string) => sql`EXISTS (
    SELECT FROM ${accountTable(account, table)} AS k WHERE k.dedup_hash = x.dedup_hash AND ${sql.id('k', id)} <> x.contact_id)`
  const isHeld = sql`(${heldBy('contact_keys', 'id')} OR ${heldBy('merged_keys', 'contact_id')})`
  const hash = { column: 'dedup_hash', type: 'uuid', value: sql`CASE WHEN NOT ${isHeld} THEN x.dedup_hash END` }
  const columns = [...columnsOf(types), hash, ...columnsOf(ofPurl)]
  const where = sql`EXISTS (
    SELECT FROM ${accountTable(account, 'deletes')} AS m WHERE m.id = x.delete_id AND m.contents <> 'returned')`
  await insertReturned(db, account, contacts, { table: 'merged_keys', columns, where })
}

/** Restores the change histories of contacts, without fields that no longer exist. */
export async function returnChanges(
  db: Db,
  account: AccountId,
  contacts: KeptContacts,
  fields: readonly number[],
): Promise<void> {
  const known = sql`(
    SELECT jsonb_agg(given ORDER BY place) FROM jsonb_array_elements(x.fields) WITH ORDINALITY AS listed (given, place)
    WHERE (given ->> 'field')::integer = ANY(${sql.val(fields)}::integer[]))`
  const columns: ReturnedColumn[] = [
    ...columnsOf({
      id: 'bigint',
      contact_id: 'bigint',
      at: 'timestamptz',
      kind: 'text',
      actor: 'text',
      via: 'text',
      undoes: 'bigint',
      merged_contact: 'bigint',
      delete_id: 'bigint',
    }),
    // Absent in what earlier releases kept.
    { column: 'last_import', type: 'integer', value: sql`coalesce(x.last_import, 0)` },
    { column: 'fields', type: 'jsonb', value: sql`coalesce(${known}, '[]')` },
  ]
  // A merge is part of the history even if it changed no value.
  const where = sql`(${known} IS NOT NULL OR x.merged_contact IS NOT NULL)`
  await insertReturned(db, account, contacts, { table: 'contact_changes', columns, where })
}

/** Restores the records that these imports have about contacts; of those undone since, only the values that they changed. */
export async function returnImportChanges(
  db: Db,
  account: AccountId,
  contacts: KeptContacts,
  { recording, undone }: { recording: readonly number[]; undone: readonly number[] },
): Promise<void> {
  const columns = columnsOf({
    contact_id: 'bigint',
    import_id: 'integer',
    batch: 'integer',
    before: 'text[]',
    after: 'text[]',
  })
  const where = sql`(x.import_id = ANY(${sql.val(recording)}::integer[])
    OR x.batch >= 0 AND x.import_id = ANY(${sql.val(undone)}::integer[]))`
  await insertReturned(db, account, contacts, { table: 'import_changes', columns, where })
}

/** Restores the written texts of some columns. `days`: columns whose days have since become moments. */
export async function returnWrittenTexts(
  db: Db,
  account: AccountId,
  contacts: KeptContacts,
  { columns: numbers, days, timeZone }: { columns: readonly number[]; days: readonly number[]; timeZone: string },
): Promise<void> {
  const moment = valueText(startOfDay(sql`x.read_as::date`, sql`${timeZone}`), 'date')
  const readAs = sql`CASE WHEN x.column_no = ANY(${sql.val(days)}::integer[]) THEN ${moment} ELSE x.read_as END`
  const columns: ReturnedColumn[] = [
    ...columnsOf({ column_no: 'integer', contact_id: 'bigint', written: 'text' }),
    { column: 'read_as', type: 'text', value: readAs },
  ]
  const where = sql`x.column_no = ANY(${sql.val(numbers)}::integer[])`
  await insertReturned(db, account, contacts, { table: 'written_texts', columns, where })
}

/** A column of a field as it was kept. */
type KeptColumn = { table: string; column: number; type: FieldType; timeZone: string }

/** The contacts that have a value in a column, as `kept` with their texts. */
function keptTexts(account: AccountId, contacts: KeptContacts, { table, column, type, timeZone }: KeptColumn): Sql {
  const rows = accountTable(account, 'deleted_rows')
  const value = sql.id('x', `c${column}`)
  const text = valueText(value, type)
  const written = sql`CASE WHEN w.data IS NOT NULL AND (w.data ->> 'read_as') IS NOT DISTINCT FROM ${text}
    THEN w.data ->> 'written' ELSE ${text} END`
  const day = type === 'date' ? sql`to_char(${value} AT TIME ZONE ${timeZone}::text, 'YYYY-MM-DD')` : sql`NULL::text`
  return sql`(
    SELECT d.contact_id AS id, ${type === 'string' ? value : written} AS text, ${day} AS day
    FROM ${rows} AS d
    LEFT JOIN ${rows} AS p ON p.delete_id = d.delete_id AND p.source = ${table} AND p.contact_id = d.contact_id
    LEFT JOIN ${rows} AS w ON w.delete_id = d.delete_id AND w.source = 'written_texts' AND w.contact_id = d.contact_id
      AND (w.data ->> 'column_no')::integer = ${column}::integer
    CROSS JOIN LATERAL jsonb_to_record(coalesce(p.data, '{}')) AS x (${sql.id(`c${column}`)} ${sql.raw(keptType[type])})
    WHERE ${rowsOf(contacts, 'contacts')}
  ) AS kept`
}

/** The contacts that have a value in a column, with the bytes of its text, in the order of their ids. */
export async function selectTextSizes(
  db: Db,
  account: AccountId,
  contacts: KeptContacts,
  column: KeptColumn,
): Promise<{ id: string; bytes: number }[]> {
  const { rows } = await sql<{ id: string; bytes: number }>`
    SELECT id::text AS id, octet_length(text) AS bytes FROM ${keptTexts(account, contacts, column)}
    WHERE text IS NOT NULL ORDER BY kept.id`.execute(db)
  return rows
}

/** The texts of a column as they were written, of contacts that have one. `day`: of a moment, its day in the time zone. */
export async function selectKeptTexts(
  db: Db,
  account: AccountId,
  contacts: KeptContacts,
  column: KeptColumn,
): Promise<ContactText[]> {
  const { rows } = await sql<ContactText>`
    SELECT id::text AS id, text, day FROM ${keptTexts(account, contacts, column)}
    WHERE text IS NOT NULL ORDER BY kept.id`.execute(db)
  return rows
}

/** Selects kept contacts whose dedup key now belongs to another contact, also by a contact merged into it. */
export async function selectTakenKeys(db: Db, account: AccountId, contacts: KeptContacts): Promise<string[]> {
  const heldBy = (table: string) =>
    sql`EXISTS (SELECT FROM ${accountTable(account, table)} AS k WHERE k.dedup_hash = (d.data ->> 'dedup_hash')::uuid)`
  const { rows } = await sql<{ id: string }>`
    SELECT d.contact_id::text AS id FROM ${accountTable(account, 'deleted_rows')} AS d
    WHERE ${rowsOf(contacts, 'contact_keys')} AND (${heldBy('contact_keys')} OR ${heldBy('merged_keys')})`.execute(db)
  return rows.map(({ id }) => id)
}
