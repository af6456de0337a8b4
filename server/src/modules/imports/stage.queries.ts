import type { FieldType } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/identity'
import { type RawBuilder, sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'
import { columnType, valueText } from '#contacts'
import type { ImportPlan, PlannedColumn } from './import-plan.ts'

/**
 * Staging tables of one import. They are unlogged, because they are gone when the import ends; should PostgreSQL itself
 * crash they come back empty, all of them together, and the file is staged again.
 *   stage_<import>_<group>   rows of the file as they are, typed; a wide file has several groups of columns
 *   stage_<import>_slices    which slices of the file are staged
 *   stage_<import>_keys      dedup hash and PURL base of each row
 *   stage_<import>_matched   which contact each row is, and the PURL number it gets
 */
export function stageTable(account: AccountId, importId: number, part: number | 'slices' | 'keys' | 'matched') {
  return accountTable(account, `stage_${importId}_${part}`)
}

/** Column of a staging table for the file's column at this position. */
export function stageColumn(position: number): RawBuilder<unknown> {
  return sql.id(`s${position}`)
}

/** Group (staging table) in which the file's column at this position lies. */
export function groupOf(plan: ImportPlan, position: number): number {
  return plan.groupStarts.findLastIndex((start) => start <= position)
}

/** The staged value of a column, qualified by its group's alias `g0`, `g1`, … */
export function stagedValue(plan: ImportPlan, position: number): RawBuilder<unknown> {
  return sql`${sql.id(`g${groupOf(plan, position)}`)}.${stageColumn(position)}`
}

/** `stage_0 g0 JOIN stage_1 g1 …`, for just the groups in which the given columns lie; `g0` is always there. */
export function stagedRows(
  account: AccountId,
  importId: number,
  plan: ImportPlan,
  positions: readonly number[],
): RawBuilder<unknown> {
  const groups = [...new Set(positions.map((position) => groupOf(plan, position)))].filter((group) => group > 0)
  const joins = groups.map(
    (group) =>
      sql`JOIN ${stageTable(account, importId, group)} AS ${sql.id(`g${group}`)} ON ${sql.id(`g${group}`)}.row_no = g0.row_no`,
  )
  return sql`${stageTable(account, importId, 0)} AS g0 ${sql.join(joins, sql` `)}`
}

export async function createStage(db: Db, account: AccountId, importId: number, plan: ImportPlan): Promise<void> {
  const types = new Map(plan.columns.map(({ position, field }) => [position, field.type]))
  for (const [group, start] of plan.groupStarts.entries()) {
    const end = plan.groupStarts[group + 1] ?? plan.fileColumns
    const columns = Array.from({ length: end - start }, (_, offset) => {
      // A column that is left out is staged as text and dropped with the table.
      const type: FieldType = types.get(start + offset) ?? 'string'
      return sql`, ${stageColumn(start + offset)} ${columnType(type)}`
    })
    await sql`CREATE UNLOGGED TABLE IF NOT EXISTS ${stageTable(account, importId, group)}
      (row_no bigint PRIMARY KEY${sql.join(columns, sql``)})`.execute(db)
  }
  await sql`CREATE UNLOGGED TABLE IF NOT EXISTS ${stageTable(account, importId, 'slices')}
    (slice integer PRIMARY KEY)`.execute(db)
  await sql`CREATE UNLOGGED TABLE IF NOT EXISTS ${stageTable(account, importId, 'keys')}
    (row_no bigint PRIMARY KEY, hash uuid, base text)`.execute(db)
}

export async function dropStage(db: Db, account: AccountId, importId: number, plan: ImportPlan): Promise<void> {
  const parts = [...plan.groupStarts.keys(), 'slices', 'keys', 'matched'] as const
  for (const part of parts) await sql`DROP TABLE IF EXISTS ${stageTable(account, importId, part)}`.execute(db)
}

export async function selectSlices(db: Db, account: AccountId, importId: number): Promise<Set<number>> {
  const { rows } = await sql<{ slice: number }>`
    SELECT slice FROM ${stageTable(account, importId, 'slices')}`.execute(db)
  return new Set(rows.map(({ slice }) => slice))
}

/** Statement for the COPY of one group; the bytes are the scanner's, each record led by its row number. */
export function copyIntoStage(
  account: AccountId,
  importId: number,
  plan: ImportPlan,
  group: number,
  delimiter: string,
): RawBuilder<unknown> {
  const start = plan.groupStarts[group] ?? 0
  const end = plan.groupStarts[group + 1] ?? plan.fileColumns
  const columns = Array.from({ length: end - start }, (_, offset) => stageColumn(start + offset))
  return copyStatement(stageTable(account, importId, group), [sql.id('row_no')], columns, delimiter)
}

/** Quoted empty cells are empty as well: a field without a value is absent. */
export function copyStatement(
  table: RawBuilder<unknown>,
  leading: readonly RawBuilder<unknown>[],
  columns: readonly RawBuilder<unknown>[],
  delimiter: string,
): RawBuilder<unknown> {
  return sql`COPY ${table} (${sql.join([...leading, ...columns])}) FROM STDIN
    (FORMAT csv, DELIMITER ${sql.lit(delimiter)}, FORCE_NULL (${sql.join(columns)}))`
}

/** Rows [from, to) of the file. */
export type RowRange = { from: number; to: number }

export const inRange = (column: RawBuilder<unknown>, { from, to }: RowRange) =>
  sql`${column} >= ${from} AND ${column} < ${to}`

/** What identifies a contact and what its PURL is made of. */
export type KeyColumns = { dedup: readonly PlannedColumn[]; purl: readonly PlannedColumn[] }

/** How to write letters outside ASCII: `ones` map a letter to one or none, `others` to several. */
export type Transliteration = { from: string; to: string; letters: string[]; spelled: string[] }

/** Letters outside ASCII among the PURL columns of some rows, each once. */
export async function selectForeignLetters(
  db: Db,
  account: AccountId,
  importId: number,
  plan: ImportPlan,
  purl: readonly PlannedColumn[],
  range: RowRange,
): Promise<string[]> {
  const text = joined(plan, purl)
  const { rows } = await sql<{ letter: string }>`
    SELECT DISTINCT string_to_table(regexp_replace(normalize(text, NFC), '[\u0001-\u007F]+', '', 'g'), NULL) AS letter
    FROM (
      SELECT ${text} AS text
      FROM ${stagedRows(
        account,
        importId,
        plan,
        purl.map(({ position }) => position),
      )}
      WHERE ${inRange(sql`g0.row_no`, range)}
    ) AS purls
    WHERE octet_length(text) <> char_length(text)`.execute(db)
  return rows.map(({ letter }) => letter)
}

function joined(plan: ImportPlan, columns: readonly PlannedColumn[]): RawBuilder<string> {
  const texts = columns.map(
    ({ position, field }) => sql`coalesce(${valueText(stagedValue(plan, position), field.type)}, '')`,
  )
  return sql<string>`${sql.join(texts, sql` || `)}`
}

/**
 * Works out the keys of staged rows: `hash` over the dedup columns, trimmed and in lower case (null when all of them are
 * blank: such a row is nobody we know), and `base` of the PURL.
 */
export async function insertKeys(
  db: Db,
  account: AccountId,
  importId: number,
  plan: ImportPlan,
  keys: KeyColumns,
  options: { range: RowRange; hashScope: string; spelling: Transliteration },
): Promise<void> {
  const positions = [...keys.dedup, ...keys.purl].map(({ position }) => position)
  await sql`
    INSERT INTO ${stageTable(account, importId, 'keys')} (row_no, hash, base)
    SELECT g0.row_no, ${dedupHash(plan, keys.dedup, options.hashScope)}, ${purlBase(plan, keys.purl, options.spelling)}
    FROM ${stagedRows(account, importId, plan, positions)}
    WHERE ${inRange(sql`g0.row_no`, options.range)}`.execute(db)
}

function dedupHash(plan: ImportPlan, columns: readonly PlannedColumn[], scope: string): RawBuilder<unknown> {
  if (columns.length === 0) return sql`NULL::uuid`
  // Spaces, tabs, line breaks and no-break spaces around a value do not make another contact.
  const parts = columns.map(
    ({ position, field }) =>
      sql`lower(btrim(coalesce(${valueText(stagedValue(plan, position), field.type)}, ''), E' \\t\\r\\n\\u00a0'))`,
  )
  const isBlank = sql.join(
    parts.map((part) => sql`${part} = ''`),
    sql` AND `,
  )
  // chr(31), the unit separator, keeps 'ab' + 'c' apart from 'a' + 'bc'.
  return sql`CASE WHEN ${isBlank} THEN NULL
    ELSE md5(${scope}::text || ${sql.join(parts, sql` || chr(31) || `)})::uuid END`
}

// What a contact is called in its PURL when its PURL columns hold no letter and no digit at all.
const namelessBase = 'contact'
// Keeps PURLs readable, and index entries within PostgreSQL's limit.
const baseMaxLength = 100

/**
 * ASCII letters and digits of the PURL columns in lower case. A base that would end with a digit gets an `x`, so that
 * base and number never run together: "anna1" + 2 and "anna" + 12 would both be anna12 (ADR 0008).
 */
function purlBase(plan: ImportPlan, columns: readonly PlannedColumn[], spelling: Transliteration): RawBuilder<unknown> {
  if (columns.length === 0) return sql`NULL::text`
  const text = joined(plan, columns)
  const plain = spelling.from === '' && spelling.letters.length === 0 ? text : spelledOut(text, spelling)
  const letters = sql`left(lower(regexp_replace(${plain}, '[^a-zA-Z0-9]+', '', 'g')), ${baseMaxLength})`
  return sql`(SELECT CASE WHEN l = '' THEN ${namelessBase} WHEN right(l, 1) BETWEEN '0' AND '9' THEN l || 'x' ELSE l END
    FROM (SELECT ${letters} AS l) AS letters)`
}

function spelledOut(text: RawBuilder<string>, { from, to, letters, spelled }: Transliteration): RawBuilder<unknown> {
  const short = sql`translate(normalize(${text}, NFC), ${from}, ${to})`
  // Letters that become several (ß, æ, most of Chinese) are looked up one by one, only where there is one left.
  const long = sql`(
    SELECT string_agg(coalesce(spelling.ascii, letter), '' ORDER BY n)
    FROM string_to_table(short, NULL) WITH ORDINALITY AS t (letter, n)
    LEFT JOIN unnest(${letters}::text[], ${spelled}::text[]) AS spelling (foreign_letter, ascii)
      ON spelling.foreign_letter = letter)`
  return sql`CASE WHEN octet_length(${text}) = char_length(${text}) THEN ${text} ELSE (
    SELECT CASE WHEN octet_length(short) = char_length(short) THEN short ELSE ${long} END
    FROM (SELECT ${short} AS short) AS shortened) END`
}
