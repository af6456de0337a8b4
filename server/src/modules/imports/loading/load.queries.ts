import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { retirePurls } from '#contacts'
import { accountTable, type Db } from '#platform/database.ts'
import { oneByOne } from '#platform/rows/one-by-one.ts'
import { changingRows } from './changing-rows.ts'
import { lastValue } from './last-value.ts'
import type { ImportPlan, PlannedColumn } from '../import-plan.ts'
import { firstContactId } from './match.queries.ts'
import { inRange, type RowRange, stagedRows, stagedValue, stageTable } from './stage.queries.ts'

/** A batch of rows, and one share of it: the contacts whose id modulo `lanes` is `lane`. */
export type LoadOptions = {
  range: RowRange
  lane: number
  lanes: number
  /** Scope of PURL numbers: 0 for the account, or the import's id. */
  purlScope: number
  now: Date
}

const inShare = ({ range, lane, lanes }: LoadOptions) =>
  sql`${inRange(sql`m.row_no`, range)} AND m.contact_id % ${lanes}::bigint = ${lane}::bigint`

export async function countShare(db: Db, account: AccountId, importId: number, options: LoadOptions): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM ${stageTable(account, importId, 'matched')} AS m
    WHERE ${inShare(options)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Inserts the contacts that first appear in a batch. Returns their number. */
export async function insertNewContacts(
  db: Db,
  account: AccountId,
  importId: number,
  plan: ImportPlan,
  options: LoadOptions,
): Promise<number> {
  const matched = stageTable(account, importId, 'matched')
  let inserted = 0
  for (const { table, columns } of tablesOf(plan)) {
    const isMain = table === 'contacts'
    const names = columns.map(({ field }) => sql`, ${sql.id(field.column)}`)
    const values = columns.map(({ position }) => sql`, ${stagedValue(plan, position)}`)
    const positions = columns.map(({ position }) => position)
    const { numAffectedRows } = await sql`
      INSERT INTO ${accountTable(account, table)} (id${isMain ? sql`, import_id` : sql``}${sql.join(names, sql``)})
      SELECT m.contact_id${isMain ? sql`, ${importId}::int` : sql``}${sql.join(values, sql``)}
      FROM ${matched} AS m JOIN ${stagedRows(account, importId, plan, positions)} ON g0.row_no = m.row_no
      WHERE ${inShare(options)} AND m.is_new`.execute(db)
    if (isMain) inserted = Number(numAffectedRows ?? 0)
  }
  await sql`
    INSERT INTO ${accountTable(account, 'contact_keys')}
      (id, dedup_hash, purl_scope, base_purl, purl_number, latitude, longitude)
    SELECT m.contact_id, m.hash, CASE WHEN m.purl_number IS NOT NULL THEN ${options.purlScope}::int END, m.base,
      m.purl_number, m.latitude, m.longitude
    FROM ${matched} AS m WHERE ${inShare(options)} AND m.is_new`.execute(db)
  return inserted
}

/**
 * Updates contacts that reappear in a batch: non-empty values win, later rows over earlier ones. Unchanged contacts are
 * not written. Returns the number of rows that changed their contact, each compared with the result of the rows before.
 */
export async function updateKnownContacts(
  db: Db,
  account: AccountId,
  importId: number,
  plan: ImportPlan,
  options: LoadOptions,
): Promise<number> {
  for (const { table } of tablesOf(plan).slice(1)) await insertMissingParts(db, account, importId, table, options)
  await retireReplacedPurls(db, account, importId, options)
  const updates = tablesOf(plan).map(({ table, columns }) => {
    const stamp = table === 'contacts' ? sql`, updated_at = ${options.now}::timestamptz` : sql``
    return updateChanged(
      accountTable(account, table),
      columns.map(({ position, field }) => keepUnlessNew(sql.id(field.column), sql.id(`s${position}`))),
      stamp,
    )
  })
  updates.push(updateChanged(accountTable(account, 'contact_keys'), keyChanges(options.purlScope), sql``))
  const named = updates.map((update, index) => sql`${sql.id(`u${index}`)} AS (${update})`)
  const ids = updates.map((_, index) => sql`SELECT id FROM ${sql.id(`u${index}`)} WHERE NOT is_shared`)
  // All parts of a statement see the contacts as they were before it.
  const { rows } = await sql<{ count: number }>`
    WITH merged AS MATERIALIZED (${mergedRows(account, importId, plan, options)}), ${sql.join(named)}
    SELECT (SELECT count(*)::int FROM (${sql.join(ids, sql` UNION `)}) AS changed)
      + (SELECT count(*)::int FROM (${changingSharedRows(account, importId, plan, options)}) AS changing) AS count`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** The rows of a batch that change a contact with several rows. */
function changingSharedRows(account: AccountId, importId: number, plan: ImportPlan, options: LoadOptions) {
  const rowNumber = sql`m.row_no`
  const rowsWith = (table: string, positions: readonly number[]) => ({
    source: sql`${stageTable(account, importId, 'matched')} AS m
      JOIN ${stagedRows(account, importId, plan, positions)} ON g0.row_no = m.row_no
      LEFT JOIN ${accountTable(account, table)} AS c ON c.id = m.contact_id
      WHERE ${inShare(options)} AND NOT m.is_new AND m.is_shared`,
    rowNumber,
    contact: sql`m.contact_id`,
  })
  const ofTables = tablesOf(plan).map(({ table, columns }) => {
    const positions = columns.map(({ position }) => position)
    const values = columns.map(({ position, field }) => ({
      value: stagedValue(plan, position),
      known: sql`c.${sql.id(field.column)}`,
    }))
    return changingRows(rowsWith(table, positions), values)
  })
  const coordinates = ['latitude', 'longitude'].map((name) => ({
    value: sql`m.${sql.id(name)}`,
    known: sql`c.${sql.id(name)}`,
  }))
  const ofKeys = changingRows(rowsWith('contact_keys', []), coordinates)
  const ofPurls = sql`
    SELECT m.row_no FROM ${stageTable(account, importId, 'matched')} AS m
    WHERE ${inShare(options)} AND NOT m.is_new AND m.is_shared AND m.purl_number IS NOT NULL`
  return sql.join([...ofTables, ofKeys, ofPurls], sql` UNION `)
}

/** Retires PURLs before known contacts of a batch get others: `matched` has a number only if the PURL changes. */
async function retireReplacedPurls(db: Db, account: AccountId, importId: number, options: LoadOptions): Promise<void> {
  const replaced = sql`t.id IN (
    SELECT m.contact_id FROM ${stageTable(account, importId, 'matched')} AS m
    WHERE ${inShare(options)} AND NOT m.is_new AND m.purl_number IS NOT NULL)`
  await retirePurls(db, account, replaced)
}

/** Adds the missing rows of contacts that were created before a further table of columns. */
async function insertMissingParts(
  db: Db,
  account: AccountId,
  importId: number,
  table: string,
  options: LoadOptions,
): Promise<void> {
  await sql`
    INSERT INTO ${accountTable(account, table)} (id) ${knownContacts(account, importId, options)}
    ON CONFLICT (id) DO NOTHING`.execute(db)
}

/** SQL for the ids of earlier contacts that reappear in a batch. */
export const knownContacts = (account: AccountId, importId: number, options: LoadOptions): RawBuilder<unknown> => sql`
  SELECT DISTINCT m.contact_id FROM ${stageTable(account, importId, 'matched')} AS m
  WHERE ${inShare(options)} AND NOT m.is_new`

/** How a column changes when `merged` has the contact again, and the condition for a change. */
type Change = { set: RawBuilder<unknown>; differs: RawBuilder<unknown> }

function keepUnlessNew(column: RawBuilder<unknown>, value: RawBuilder<unknown>): Change {
  return {
    set: sql`${column} = coalesce(n.${value}, c.${column})`,
    differs: sql`(n.${value} IS NOT NULL AND n.${value} IS DISTINCT FROM c.${column})`,
  }
}

function keyChanges(purlScope: number): Change[] {
  const isNumbered = sql`n.purl_number IS NOT NULL`
  const purl = sql`base_purl = CASE WHEN ${isNumbered} THEN n.base ELSE c.base_purl END,
    purl_number = coalesce(n.purl_number, c.purl_number),
    purl_scope = CASE WHEN ${isNumbered} THEN ${purlScope}::int ELSE c.purl_scope END`
  const latitude = sql.id('latitude')
  const longitude = sql.id('longitude')
  return [
    keepUnlessNew(latitude, latitude),
    keepUnlessNew(longitude, longitude),
    // `matched` has a number only if the PURL changes.
    { set: purl, differs: isNumbered },
  ]
}

function updateChanged(table: RawBuilder<unknown>, changes: readonly Change[], stamp: RawBuilder<unknown>) {
  // The file has no column in this table, so nothing changes in it.
  if (changes.length === 0) return sql`SELECT NULL::bigint AS id, false AS is_shared WHERE false`
  return sql`
    UPDATE ${table} AS c SET ${sql.join(changes.map(({ set }) => set))}${stamp}
    FROM merged AS n
    WHERE c.id = n.contact_id AND (${sql.join(
      changes.map(({ differs }) => differs),
      sql` OR `,
    )})
    RETURNING c.id, n.is_shared`
}

/**
 * Rows of a batch that belong to existing contacts, merged into one row per contact, named like the staging columns.
 */
export function mergedRows(
  account: AccountId,
  importId: number,
  plan: ImportPlan,
  options: LoadOptions,
): RawBuilder<unknown> {
  const positions = plan.columns.map(({ position }) => position)
  const source = sql`
    FROM ${stageTable(account, importId, 'matched')} AS m
    JOIN ${stagedRows(account, importId, plan, positions)} ON g0.row_no = m.row_no
    WHERE ${inShare(options)} AND NOT m.is_new`
  const values = [
    ...keyTypes.map(([name, type]) => ({ name: sql.id(name), value: sql`m.${sql.id(name)}`, type })),
    ...plan.columns.map(({ position, field: { type } }) => {
      return { name: sql.id(`s${position}`), value: stagedValue(plan, position), type }
    }),
  ]
  const single = sql.join(values.map(({ name, value }) => sql`${value} AS ${name}`))
  const latest = sql.join(
    values.map(({ name, value, type }) => sql`${lastValue(value, type, sql`m.row_no`)} AS ${name}`),
  )
  return sql`
    SELECT m.contact_id, m.is_shared, ${single} ${source} AND NOT m.is_shared
    UNION ALL
    SELECT m.contact_id, m.is_shared, ${latest} ${source} AND m.is_shared
    GROUP BY m.contact_id, m.is_shared HAVING ${oneByOne}`
}

/** The columns of `matched` that a contact takes over, with their types. */
const keyTypes = [
  ['base', 'string'],
  ['purl_number', 'integer'],
  ['latitude', 'number'],
  ['longitude', 'number'],
] as const

/** Columns of the plan by the table that holds them; the main table comes first and is always included. */
export function tablesOf(plan: ImportPlan): { table: string; columns: PlannedColumn[] }[] {
  const byTable = new Map<string, PlannedColumn[]>([['contacts', []]])
  for (const column of plan.columns) {
    const columns = byTable.get(column.field.table) ?? []
    columns.push(column)
    byTable.set(column.field.table, columns)
  }
  return [...byTable].map(([table, columns]) => ({ table, columns }))
}

/**
 * For directly loaded rows: merges the later rows of a contact into its first, and deletes them. `matched` lists them.
 * Returns the number of rows that changed the contact, as `updateKnownContacts` does.
 */
export async function mergeRepeatedRows(
  db: Db,
  account: AccountId,
  importId: number,
  plan: ImportPlan,
  now: Date,
): Promise<number> {
  const matched = stageTable(account, importId, 'matched')
  const contacts = accountTable(account, 'contacts')
  const id = sql`${firstContactId(importId)}::bigint + m.row_no`
  const columns = plan.columns.map(({ field }) => sql.id(field.column))
  const latest = plan.columns.map(({ field: { column, type } }) => {
    return sql`${lastValue(sql`r.${sql.id(column)}`, type, sql`m.row_no`)} AS ${sql.id(column)}`
  })
  const compared = {
    source: sql`${matched} AS m JOIN ${contacts} AS r ON r.id = ${id} JOIN ${contacts} AS c ON c.id = m.contact_id`,
    rowNumber: sql`m.row_no`,
    contact: sql`m.contact_id`,
  }
  const values = columns.map((column) => ({ value: sql`r.${column}`, known: sql`c.${column}` }))
  const { rows } = await sql<{ count: number }>`
    WITH merged AS (
      SELECT m.contact_id, true AS is_shared, ${sql.join(latest)}
      FROM ${matched} AS m JOIN ${contacts} AS r ON r.id = ${id} GROUP BY m.contact_id HAVING ${oneByOne}
    ), updated AS (
      ${updateChanged(
        contacts,
        columns.map((column) => keepUnlessNew(column, column)),
        sql`, updated_at = ${now}::timestamptz`,
      )}
    )
    SELECT count(*)::int AS count FROM (${changingRows(compared, values)}) AS changing`.execute(db)
  await sql`DELETE FROM ${contacts} AS c USING ${matched} AS m WHERE c.id = ${id}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Updates the working table of keys: the first row of a contact gets the coordinates of the last row that has any. */
export async function mergeCoordinates(db: Db, account: AccountId, importId: number): Promise<void> {
  const keys = stageTable(account, importId, 'keys')
  await sql`
    UPDATE ${keys} AS k
    SET latitude = coalesce(n.latitude, k.latitude), longitude = coalesce(n.longitude, k.longitude)
    FROM (
      SELECT m.contact_id - ${firstContactId(importId)}::bigint AS row_no,
        ${lastValue(sql`r.latitude`, 'number', sql`r.row_no`)} AS latitude,
        ${lastValue(sql`r.longitude`, 'number', sql`r.row_no`)} AS longitude
      FROM ${stageTable(account, importId, 'matched')} AS m JOIN ${keys} AS r ON r.row_no = m.row_no
      WHERE r.latitude IS NOT NULL OR r.longitude IS NOT NULL
      GROUP BY m.contact_id
    ) AS n
    WHERE k.row_no = n.row_no`.execute(db)
}
