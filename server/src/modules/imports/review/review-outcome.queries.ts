import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { columnsPerPart, startOfDay, valueText } from '#contacts'
import { accountTable, type Db } from '#platform/database.ts'
import { changingRows } from '../loading/changing-rows.ts'
import { firstContactId } from '../loading/match.queries.ts'
import { stagedRows, stagedValue, stageTable } from '../loading/stage.queries.ts'
import type { ReviewedColumn, ReviewPlan } from './review-plan.ts'

/**
 * A review whose rows are staged and matched. `id`: the number in the names of its working tables. `timeZone`: of the
 * account.
 */
export type MatchedFile = { id: number; plan: ReviewPlan; timeZone: string }

/** Columns whose values are in one table of contacts; `table` is null for columns of new fields. */
type Group = { table: string | null; columns: ReviewedColumn[] }

function groupsOf({ columns }: ReviewPlan): Group[] {
  const tables = Map.groupBy(columns, ({ before }) => before?.table ?? null)
  return [...tables].flatMap(([table, all]) =>
    // A table has no more columns; there may be any number of new fields.
    Array.from({ length: Math.ceil(all.length / columnsPerPart) }, (_, part) => ({
      table,
      columns: all.slice(part * columnsPerPart, (part + 1) * columnsPerPart),
    })),
  )
}

/** A row's value for a field, and the contact's value, both in the type that the field would have. */
export function comparedValue({ position, field, before }: ReviewedColumn, { plan, timeZone }: MatchedFile) {
  const value = stagedValue(plan, position)
  if (!before) return { value, known: sql`NULL` }
  const known = sql`c.${sql.id(before.column)}`
  if (before.type === field.type) return { value, known }
  return { value, known: field.type === 'date' ? startOfDay(known, sql`${timeZone}`) : valueText(known, before.type) }
}

/** The rows of the file, `m` in the working table of matches, with their contacts `c` in the table of a group. */
function rowsWith(account: AccountId, { id, plan }: MatchedFile, { table, columns }: Group): RawBuilder<unknown> {
  const positions = columns.map(({ position }) => position)
  return sql`${stageTable(account, id, 'matched')} AS m
    JOIN ${stagedRows(account, id, plan, positions)} ON g0.row_no = m.row_no
    ${table === null ? sql`` : sql`LEFT JOIN ${accountTable(account, table)} AS c ON c.id = m.contact_id`}`
}

/**
 * Numbers (`row_no`) of the rows that change their contact, compared with the result of earlier rows, as an import
 * counts them.
 */
function changes(account: AccountId, file: MatchedFile): RawBuilder<unknown> {
  const matched = stageTable(account, file.id, 'matched')
  const ofFields = groupsOf(file.plan).flatMap((group) => {
    const rows = rowsWith(account, file, group)
    const values = group.columns.map((column) => comparedValue(column, file))
    const differs = values.map(({ value, known }) => sql`(${value} IS NOT NULL AND ${value} IS DISTINCT FROM ${known})`)
    const single = sql`
      SELECT m.row_no FROM ${rows} WHERE NOT m.is_new AND NOT m.is_shared AND (${sql.join(differs, sql` OR `)})`
    // Including the row that creates the contact, which no earlier one can have changed.
    const shared = { source: sql`${rows} WHERE m.is_shared`, rowNumber: sql`m.row_no`, contact: sql`m.contact_id` }
    return [single, changingRows(shared, values)]
  })
  const purls = sql`SELECT row_no FROM ${matched} WHERE NOT is_new AND purl_number IS NOT NULL`
  const coordinates = ['latitude', 'longitude'].map((name) => {
    const [value, known] = [sql`m.${sql.id(name)}`, sql`c.${sql.id(name)}`]
    return sql`
      SELECT m.row_no FROM ${matched} AS m JOIN ${accountTable(account, 'contact_keys')} AS c ON c.id = m.contact_id
      WHERE ${value} IS NOT NULL AND ${value} IS DISTINCT FROM ${known}`
  })
  return sql`SELECT row_no FROM (${sql.join([...ofFields, purls, ...coordinates], sql` UNION `)}) AS found
    WHERE row_no NOT IN (SELECT row_no FROM ${matched} WHERE is_new)`
}

export type ReviewCounts = {
  created: number
  updated: number
  /** Numbers of the first rows that create a contact, and of the first rows that change an existing one. */
  createdRows: number[]
  updatedRows: number[]
}

export async function countOutcome(
  db: Db,
  account: AccountId,
  file: MatchedFile,
  examples: number,
): Promise<ReviewCounts> {
  const matched = stageTable(account, file.id, 'matched')
  const first = (rows: RawBuilder<unknown>) => sql`
    (SELECT coalesce(array_agg(row_no::int ORDER BY row_no), '{}') FROM (${rows} ORDER BY row_no LIMIT ${examples}) AS f)`
  const { rows } = await sql<ReviewCounts>`
    WITH changing AS MATERIALIZED (${changes(account, file)})
    SELECT (SELECT count(*)::int FROM ${matched} WHERE is_new) AS created,
      (SELECT count(*)::int FROM changing) AS updated,
      ${first(sql`SELECT row_no FROM ${matched} WHERE is_new`)} AS "createdRows",
      ${first(sql`
        SELECT row_no FROM changing JOIN ${matched} USING (row_no)
        WHERE contact_id < ${firstContactId(file.id)}::bigint`)} AS "updatedRows"`.execute(db)
  return rows[0] ?? { created: 0, updated: 0, createdRows: [], updatedRows: [] }
}

/** Numbers of rows with a value for a field, and of rows whose contact has another value. */
export type FieldCounts = { filled: number; changed: number }

/** Returns the counts in the order of the plan's columns. */
export async function countFields(db: Db, account: AccountId, file: MatchedFile): Promise<FieldCounts[]> {
  const counts = new Map<number, FieldCounts>()
  for (const group of groupsOf(file.plan)) {
    const selected = group.columns.flatMap((column, index) => {
      const { value, known } = comparedValue(column, file)
      const isOther = column.before
        ? sql`${value} IS NOT NULL AND ${known} IS NOT NULL AND ${value} IS DISTINCT FROM ${known}`
        : sql`false`
      return [
        sql`count(${value})::int AS ${sql.id(`f${index}`)}`,
        sql`(count(*) FILTER (WHERE ${isOther}))::int AS ${sql.id(`c${index}`)}`,
      ]
    })
    const { rows } = await sql<Record<string, number>>`
      SELECT ${sql.join(selected)} FROM ${rowsWith(account, file, group)}`.execute(db)
    for (const [index, { position }] of group.columns.entries()) {
      counts.set(position, { filled: rows[0]?.[`f${index}`] ?? 0, changed: rows[0]?.[`c${index}`] ?? 0 })
    }
  }
  return file.plan.columns.map(({ position }) => counts.get(position) ?? { filled: 0, changed: 0 })
}

/**
 * A row's values as texts, in the order of the plan's columns: its own, its contact's before the import, and which
 * differ. Long texts are cut.
 */
export type RowTexts = {
  contact: string
  values: (string | null)[]
  before: (string | null)[]
  differs: boolean[]
}

/** Maximum number of characters of a row's texts: examples can be read for any file. */
const charactersOfRow = 50_000
const charactersShown = 200

/** The beginning of a text, with the length allowed for one of `columns` texts in a row. */
function beginning(text: RawBuilder<unknown>, columns: number): RawBuilder<unknown> {
  const most = Math.min(charactersShown, Math.floor(charactersOfRow / columns))
  return sql`left(${text}, ${sql.lit(most)}) || CASE WHEN length(${text}) > ${sql.lit(most)} THEN '…' ELSE '' END`
}

type FoundTexts = RowTexts & { row: number }

/** Selects the texts of some rows, in their order. */
export async function selectRowTexts(
  db: Db,
  account: AccountId,
  file: MatchedFile,
  rowNumbers: readonly number[],
): Promise<RowTexts[]> {
  const found = new Map<number, RowTexts>()
  const { columns } = file.plan
  const order = new Map(columns.map(({ position }, index) => [position, index]))
  for (const group of groupsOf(file.plan)) {
    const texts = group.columns.map((column) => {
      const { value, known } = comparedValue(column, file)
      return {
        value: valueText(value, column.field.type),
        known: column.before ? valueText(known, column.field.type) : sql`NULL::text`,
      }
    })
    const short = (text: RawBuilder<unknown>) => beginning(text, columns.length)
    const { rows } = await sql<FoundTexts>`
      SELECT m.row_no::int AS row, m.contact_id::text AS contact,
        ARRAY[${sql.join(texts.map(({ value }) => short(value)))}]::text[] AS values,
        ARRAY[${sql.join(texts.map(({ known }) => short(known)))}]::text[] AS before,
        ARRAY[${sql.join(texts.map(({ value, known }) => sql`${value} IS DISTINCT FROM ${known}`))}] AS differs
      FROM ${rowsWith(account, file, group)} WHERE m.row_no = ANY (${[...rowNumbers]}::bigint[])`.execute(db)
    for (const { row, contact, values, before, differs } of rows) {
      const one = found.get(row) ?? { contact, values: [], before: [], differs: [] }
      for (const [index, { position }] of group.columns.entries()) {
        const at = order.get(position) ?? 0
        one.values[at] = values[index] ?? null
        one.before[at] = before[index] ?? null
        one.differs[at] = differs[index] ?? false
      }
      found.set(row, one)
    }
  }
  return rowNumbers.flatMap((row) => found.get(row) ?? [])
}
