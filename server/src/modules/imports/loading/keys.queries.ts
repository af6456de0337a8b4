import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import type { FieldType } from '@portico/contract/contacts'
import { type ContactField, contactRows, startOfDay, trimmedText, valueText } from '#contacts'
import { accountTable, type Db } from '#platform/database.ts'
import type { ImportPlan, PlannedColumn } from '../import-plan.ts'
import { createFilled, stagedRows, stagedValue } from './stage.queries.ts'

/** Columns of the file that match contacts. */
export type KeyColumns = {
  dedup: readonly PlannedColumn[]
  purl: readonly PlannedColumn[]
  latitude: PlannedColumn | null
  longitude: PlannedColumn | null
}

/** The time zone that defines the account's days. */
type Zone = { timeZone: string }

/**
 * Replacements for letters outside ASCII: `from` to `to` letter by letter (or dropped), the others by several letters.
 */
export type Transliteration = { from: string; to: string; letters: string[]; spelled: string[] }

/** Location of an import's rows: staged, or already among the contacts, where the id gives the row number. */
export type RowSource = {
  from: RawBuilder<unknown>
  rowNumber: RawBuilder<unknown>
  value: (column: PlannedColumn) => RawBuilder<unknown>
}

export function stagedSource(account: AccountId, importId: number, plan: ImportPlan, keys: KeyColumns): RowSource {
  const columns = [...keys.dedup, ...keys.purl, keys.latitude, keys.longitude].filter((column) => column !== null)
  const positions = columns.map(({ position }) => position)
  return {
    from: stagedRows(account, importId, plan, positions),
    rowNumber: sql`g0.row_no`,
    value: ({ position }) => stagedValue(plan, position),
  }
}

/** The source for an import into an account without contacts, which loads its rows directly. */
export function loadedSource(account: AccountId, firstId: bigint): RowSource {
  return {
    from: sql`${accountTable(account, 'contacts')} AS c`,
    rowNumber: sql`c.id - ${firstId}::bigint`,
    value: ({ field }) => sql`c.${sql.id(field.column)}`,
  }
}

/** The source for single contacts, with the columns of these fields. */
export function contactSource(account: AccountId, ids: readonly string[], fields: readonly ContactField[]): RowSource {
  return {
    from: contactRows(account, ids, fields),
    rowNumber: sql`c.id`,
    value: ({ field }) => sql.id('c', field.column),
  }
}

/** Selects the distinct letters outside ASCII in the PURL columns of the whole import. */
export async function selectForeignLetters(
  db: Db,
  source: RowSource,
  purl: readonly PlannedColumn[],
  zone: Zone,
): Promise<string[]> {
  // ASCII is removed first, so that little is left to split.
  const { rows } = await sql<{ letter: string }>`
    SELECT DISTINCT string_to_table(regexp_replace(normalize(text, NFC), '[\\u0001-\\u007F]+', '', 'g'), NULL) AS letter
    FROM (SELECT ${joined(source, purl, zone)} AS text FROM ${source.from}) AS purls
    WHERE octet_length(text) <> char_length(text)`.execute(db)
  return rows.map(({ letter }) => letter)
}

/**
 * Returns the text of a value in keys. A moment at the start of a day in the account is written as that day: contacts
 * keep their keys when a field of days becomes one of moments. If clocks show midnight twice, both count as the start,
 * as days were once turned into the later one.
 */
function keyText(value: RawBuilder<unknown>, type: FieldType, { timeZone }: Zone): RawBuilder<unknown> {
  if (type !== 'date') return valueText(value, type)
  const local = sql`(${value} AT TIME ZONE ${timeZone}::text)`
  const day = sql`${local}::date`
  return sql`CASE WHEN ${local} = ${day} OR ${value} = ${startOfDay(day, sql`${timeZone}`)} THEN ${valueText(day, 'day')}
    ELSE ${valueText(value, type)} END`
}

function joined(source: RowSource, columns: readonly PlannedColumn[], zone: Zone): RawBuilder<string> {
  if (columns.length === 0) return sql<string>`''::text`
  const texts = columns.map((column) => sql`coalesce(${keyText(source.value(column), column.field.type, zone)}, '')`)
  return sql<string>`${sql.join(texts, sql` || `)}`
}

/**
 * Computes the keys of an import's rows: `hash` over the dedup columns, trimmed and in lower case (null if all of them
 * are blank, which matches no contact), `base` of the PURL, and coordinates.
 */
export async function createKeys(
  db: Db,
  account: AccountId,
  importId: number,
  source: RowSource,
  keys: KeyColumns,
  options: KeyOptions,
): Promise<void> {
  const rows = keysOf(source, keys, options)
  const columns = { hash: 'uuid', base: 'text', latitude: 'double precision', longitude: 'double precision' }
  // The text of a moment or a day depends on settings, as far as PostgreSQL knows.
  const isImmutable = ![...keys.dedup, ...keys.purl].some(({ field }) => field.type === 'date' || field.type === 'day')
  await createFilled(db, account, importId, 'keys', { columns, rows, isImmutable })
}

type KeyOptions = { hashScope: string; spelling: Transliteration } & Zone

/**
 * Without subqueries, since only then does the query run in parallel. No expression uses an expensive part twice, which
 * would also compute it twice.
 */
const keysOf = (source: RowSource, keys: KeyColumns, options: KeyOptions) => sql`
  SELECT ${source.rowNumber} AS row_no, ${dedupHash(source, keys.dedup, options)} AS hash,
    ${purlBase(source, keys.purl, options)} AS base,
    ${coordinate(source, keys.latitude, 90)} AS latitude, ${coordinate(source, keys.longitude, 180)} AS longitude
  FROM ${source.from}`

export type Keys = { hash: string | null; base: string | null; latitude: number | null; longitude: number | null }

/** The same for one contact with the columns of these fields; not stored. */
export async function selectKeys(
  db: Db,
  account: AccountId,
  { id, fields }: { id: string; fields: readonly ContactField[] },
  keys: KeyColumns,
  options: KeyOptions,
): Promise<Keys | undefined> {
  const { rows } = await sql<Keys>`
    SELECT hash, base, latitude, longitude FROM (${keysOf(contactSource(account, [id], fields), keys, options)}) AS keys`.execute(
    db,
  )
  return rows[0]
}

/** The dedup hashes of contacts with the columns of these fields; not stored. */
export async function selectHashes(
  db: Db,
  account: AccountId,
  { ids, fields }: { ids: readonly string[]; fields: readonly ContactField[] },
  dedup: readonly PlannedColumn[],
  timeZone: string,
): Promise<{ id: string; hash: string | null }[]> {
  const source = contactSource(account, ids, fields)
  const { rows } = await sql<{ id: string; hash: string | null }>`
    SELECT ${source.rowNumber}::text AS id, ${dedupHash(source, dedup, { hashScope: '', timeZone })} AS hash
    FROM ${source.from}`.execute(db)
  return rows
}

/** SQL for the dedup hash of a row of the source; null if all columns are blank. */
export function dedupHash(
  source: RowSource,
  columns: readonly PlannedColumn[],
  { hashScope, ...zone }: { hashScope: string } & Zone,
): RawBuilder<unknown> {
  if (columns.length === 0) return sql`NULL::uuid`
  const values = columns.map((column) =>
    trimmedText(sql`coalesce(${keyText(source.value(column), column.field.type, zone)}, '')`),
  )
  const blanks = columns.map(() => sql`''`)
  return sql`nullif(${hashOf(values, hashScope)}, ${hashOf(blanks, hashScope)})`
}

/**
 * chr(31), the unit separator, distinguishes 'ab' + 'c' from 'a' + 'bc'. One within a value is followed by a blank:
 * values are trimmed and never begin with a blank. All other values keep the keys of earlier releases.
 */
function hashOf(values: RawBuilder<unknown>[], scope: string): RawBuilder<unknown> {
  const texts = values.length === 1 ? values : values.map((value) => sql`replace(${value}, chr(31), chr(31) || ' ')`)
  return sql`md5(lower(${scope}::text || ${sql.join(texts, sql` || chr(31) || `)}))::uuid`
}

// Keeps PURLs readable, and index entries within PostgreSQL's limit.
const baseMaxLength = 100

// PURL of a contact whose PURL columns contain no letters or digits.
const namelessBase = 'contact'

/**
 * ASCII letters and digits of the PURL columns in lower case. A base that would end with a digit gets an `x`, so that
 * base and number stay unambiguous: "anna1" + 2 and "anna" + 12 would both be anna12 (ADR 0008).
 */
function purlBase(
  source: RowSource,
  columns: readonly PlannedColumn[],
  { spelling, ...zone }: { spelling: Transliteration } & Zone,
): RawBuilder<unknown> {
  if (columns.length === 0) return sql`NULL::text`
  const text = spelledOut(joined(source, columns, zone), spelling)
  const letters = sql`left(lower(regexp_replace(${text}, '[^a-zA-Z0-9]+', '', 'g')), ${baseMaxLength}::int)`
  return sql`regexp_replace(coalesce(nullif(${letters}, ''), ${namelessBase}), '([0-9])$', '\\1x')`
}

// Up to this number, letters that become several are replaced one after the other. Beyond it (Chinese names, say)
// looking each letter up is faster, although PostgreSQL then uses a single process.
const maxReplacements = 60

function spelledOut(text: RawBuilder<unknown>, { from, to, letters, spelled }: Transliteration): RawBuilder<unknown> {
  if (from === '' && letters.length === 0) return text
  const short = sql`translate(normalize(${text}, NFC), ${from}, ${to})`
  const long = letters.length > maxReplacements ? lookedUp(short, letters, spelled) : replaced(short, letters, spelled)
  return sql`CASE WHEN octet_length(${text}) = char_length(${text}) THEN ${text} ELSE ${long} END`
}

function replaced(text: RawBuilder<unknown>, letters: readonly string[], spelled: readonly string[]) {
  return letters.reduce<RawBuilder<unknown>>(
    (done, letter, index) => sql`replace(${done}, ${letter}, ${spelled[index]})`,
    text,
  )
}

function lookedUp(text: RawBuilder<unknown>, letters: readonly string[], spelled: readonly string[]) {
  return sql`(
    SELECT string_agg(coalesce(spelling.ascii, letter), '' ORDER BY n)
    FROM string_to_table(${text}, NULL) WITH ORDINALITY AS t (letter, n)
    LEFT JOIN unnest(${letters}::text[], ${spelled}::text[]) AS spelling (foreign_letter, ascii)
      ON spelling.foreign_letter = letter)`
}

/** Returns the number in a coordinate column if it lies within ±`limit` degrees, else null. */
export function coordinate(source: RowSource, column: PlannedColumn | null, limit: number): RawBuilder<unknown> {
  if (!column) return sql`NULL::double precision`
  const value = source.value(column)
  if (column.field.type === 'number') {
    return sql`CASE WHEN ${value} BETWEEN ${-limit}::float8 AND ${limit}::float8 THEN ${value} END`
  }
  if (column.field.type !== 'string') return sql`NULL::double precision`
  // CASE tests before it casts: only numbers of at most three digits and a fraction are cast, which cannot overflow.
  return sql`CASE WHEN length(${value}) < 40 AND ${value} ~ '^\\s*[+-]?[0-9]{1,3}(\\.[0-9]+)?\\s*$'
    THEN CASE WHEN abs(${value}::float8) <= ${limit}::float8 THEN ${value}::float8 END END`
}
