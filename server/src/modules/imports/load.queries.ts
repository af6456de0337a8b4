import type { AccountId } from '@portico/contract/identity'
import { type RawBuilder, sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'
import type { ImportPlan, PlannedColumn } from './import-plan.ts'
import { inRange, type RowRange, stagedRows, stagedValue, stageTable } from './stage.queries.ts'

/** Number of an import's first contact; its rows follow. Known before anything is written, and unique. */
export function firstContactId(importId: number): bigint {
  return BigInt(importId) << 33n
}

/** PURL numbers count within the account (0) or within the import (its id). */
export type PurlRule = { scope: number; keepsKnown: boolean } | null

/**
 * Decides for every staged row which contact it is: a new one, a known one, or one that the file itself brings several
 * times (then the first of its rows makes it). Hands out PURL numbers in the order of the file: the first holder of a
 * base gets 1, which is shown bare. Done once for the whole file, in one statement, since only so both are exact.
 */
export async function matchRows(
  db: Db,
  account: AccountId,
  importId: number,
  options: { purl: PurlRule; isFirstImport: boolean },
): Promise<void> {
  const matched = stageTable(account, importId, 'matched')
  const keys = stageTable(account, importId, 'keys')
  const contacts = accountTable(account, 'contacts')
  await sql`DROP TABLE IF EXISTS ${matched}`.execute(db)
  await sql`
    CREATE UNLOGGED TABLE ${matched} (
      row_no bigint PRIMARY KEY, contact_id bigint NOT NULL, hash uuid, base text, purl_number integer,
      is_new boolean NOT NULL, is_shared boolean NOT NULL
    )`.execute(db)
  const known = options.isFirstImport
    ? sql`LEFT JOIN (SELECT NULL::bigint AS id, NULL::text AS base_purl) AS c ON false`
    : sql`LEFT JOIN ${contacts} AS c ON c.dedup_hash = k.hash`
  await sql`
    INSERT INTO ${matched} (row_no, contact_id, hash, base, purl_number, is_new, is_shared)
    WITH shared AS MATERIALIZED (
      SELECT hash, min(row_no) AS first_row FROM ${keys} WHERE hash IS NOT NULL GROUP BY hash HAVING count(*) > 1
    ), placed AS (
      SELECT k.row_no, k.hash, k.base, c.base_purl AS known_base,
        coalesce(c.id, ${firstContactId(importId)}::bigint + coalesce(s.first_row, k.row_no)) AS contact_id,
        coalesce(s.first_row, k.row_no) = k.row_no AS is_leader,
        c.id IS NULL AND coalesce(s.first_row, k.row_no) = k.row_no AS is_new,
        s.hash IS NOT NULL AS is_shared
      FROM ${keys} AS k LEFT JOIN shared AS s ON s.hash = k.hash ${known}
    )
    ${options.purl ? numbered(options.purl, contacts, options.isFirstImport) : unnumbered}`.execute(db)
  await sql`ANALYZE ${matched}`.execute(db)
}

const unnumbered = sql`
  SELECT row_no, contact_id, hash, NULL, NULL, is_new, is_shared FROM placed`

function numbered(purl: NonNullable<PurlRule>, contacts: RawBuilder<unknown>, isFirstImport: boolean) {
  const changesKnown = purl.keepsKnown ? sql`known_base IS NULL` : sql`known_base IS DISTINCT FROM base`
  const wanting = sql`
    SELECT *, CASE WHEN is_leader AND (is_new OR ${changesKnown}) THEN base END AS wanted FROM placed`
  if (isFirstImport) {
    return sql`
      SELECT row_no, contact_id, hash, base,
        CASE WHEN wanted IS NOT NULL THEN row_number() OVER (PARTITION BY wanted ORDER BY row_no) END, is_new, is_shared
      FROM (${wanting}) AS w`
  }
  return sql`, wanting AS MATERIALIZED (${wanting}), taken AS (
      SELECT base_purl, max(purl_number) AS last_number FROM ${contacts}
      WHERE purl_scope = ${purl.scope} AND base_purl IN (SELECT wanted FROM wanting WHERE wanted IS NOT NULL)
      GROUP BY base_purl
    )
    SELECT row_no, contact_id, hash, base,
      CASE WHEN wanted IS NOT NULL
        THEN row_number() OVER (PARTITION BY wanted ORDER BY row_no) + coalesce(last_number, 0) END, is_new, is_shared
    FROM wanting AS w LEFT JOIN taken AS t ON t.base_purl = w.wanted`
}

/** One share of the rows: the contacts whose id leaves `lane` when divided by `lanes`. */
export type Lane = { lane: number; lanes: number }

const inLane = ({ lane, lanes }: Lane) => sql`m.contact_id % ${lanes}::bigint = ${lane}::bigint`

/** The coordinates of a row: columns of the file, and the rule that decides what counts as one. */
export type PlaceColumns = { latitude: PlannedColumn | null; longitude: PlannedColumn | null }

export type LoadOptions = {
  range: RowRange
  lane: Lane
  purlScope: number
  place: PlaceColumns
  now: Date
}

export async function countLaneRows(
  db: Db,
  account: AccountId,
  importId: number,
  { range, lane }: Pick<LoadOptions, 'range' | 'lane'>,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM ${stageTable(account, importId, 'matched')} AS m
    WHERE ${inRange(sql`m.row_no`, range)} AND ${inLane(lane)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Inserts the contacts that the rows of a batch bring for the first time. Answers how many. */
export async function insertNewContacts(
  db: Db,
  account: AccountId,
  importId: number,
  plan: ImportPlan,
  { range, lane, purlScope, place }: LoadOptions,
): Promise<number> {
  let inserted = 0
  for (const { table, columns } of tablesOf(plan)) {
    const isMain = table === 'contacts'
    const own = isMain ? sql`, import_id, dedup_hash, purl_scope, base_purl, purl_number, latitude, longitude` : sql``
    const ownValues = isMain
      ? sql`, ${importId}::int, m.hash, CASE WHEN m.purl_number IS NOT NULL THEN ${purlScope}::int END,
          CASE WHEN m.purl_number IS NOT NULL THEN m.base END, m.purl_number,
          ${coordinate(plan, place.latitude, 90)}, ${coordinate(plan, place.longitude, 180)}`
      : sql``
    const names = columns.map(({ field }) => sql`, ${sql.id(field.column)}`)
    const values = columns.map(({ position }) => sql`, ${stagedValue(plan, position)}`)
    const positions = [...columns, ...(isMain ? placeColumns(place) : [])].map(({ position }) => position)
    const { numAffectedRows } = await sql`
      INSERT INTO ${accountTable(account, table)} (id${own}${sql.join(names, sql``)})
      SELECT m.contact_id${ownValues}${sql.join(values, sql``)}
      FROM ${stageTable(account, importId, 'matched')} AS m
      JOIN ${stagedRows(account, importId, plan, positions)} ON g0.row_no = m.row_no
      WHERE ${inRange(sql`m.row_no`, range)} AND ${inLane(lane)} AND m.is_new
      ORDER BY m.row_no`.execute(db)
    if (isMain) inserted = Number(numAffectedRows ?? 0)
  }
  return inserted
}

/**
 * Updates contacts that rows of a batch bring again: non-empty values win, the last row's over earlier ones. Contacts
 * that would stay as they are are not written. Answers how many changed.
 */
export async function updateKnownContacts(
  db: Db,
  account: AccountId,
  importId: number,
  plan: ImportPlan,
  options: LoadOptions,
): Promise<number> {
  const merged = mergedRows(account, importId, plan, options)
  for (const { table } of tablesOf(plan).slice(1)) await insertMissingParts(db, account, importId, table, options)
  const updates = tablesOf(plan).map(({ table, columns }, index) => {
    const changes = columns.map(({ position, field }) => change(sql.id(field.column), sql.id(`s${position}`)))
    if (table === 'contacts') changes.push(...ownChanges(options.purlScope))
    const stamp = table === 'contacts' ? sql`, updated_at = ${options.now}::timestamptz` : sql``
    return sql`${sql.id(`u${index}`)} AS (
      UPDATE ${accountTable(account, table)} AS c
      SET ${sql.join(changes.map(({ set }) => set))}${stamp}
      FROM merged AS n
      WHERE c.id = n.contact_id AND (${sql.join(
        changes.map(({ differs }) => differs),
        sql` OR `,
      )})
      RETURNING c.id)`
  })
  const ids = updates.map((_, index) => sql`SELECT id FROM ${sql.id(`u${index}`)}`)
  const { rows } = await sql<{ count: number }>`
    WITH merged AS MATERIALIZED (${merged}), ${sql.join(updates)}
    SELECT count(*)::int AS count FROM (${sql.join(ids, sql` UNION `)}) AS changed`.execute(db)
  return rows[0]?.count ?? 0
}

/** A contact that is older than a further table of columns has no row there yet. */
async function insertMissingParts(
  db: Db,
  account: AccountId,
  importId: number,
  table: string,
  { range, lane }: LoadOptions,
): Promise<void> {
  await sql`
    INSERT INTO ${accountTable(account, table)} (id)
    SELECT DISTINCT m.contact_id FROM ${stageTable(account, importId, 'matched')} AS m
    WHERE ${inRange(sql`m.row_no`, range)} AND ${inLane(lane)} AND NOT m.is_new
    ON CONFLICT (id) DO NOTHING`.execute(db)
}

function change(column: RawBuilder<unknown>, value: RawBuilder<unknown>) {
  return {
    set: sql`${column} = coalesce(n.${value}, c.${column})`,
    differs: sql`(n.${value} IS NOT NULL AND n.${value} IS DISTINCT FROM c.${column})`,
  }
}

function ownChanges(purlScope: number) {
  const isNumbered = sql`n.purl_number IS NOT NULL`
  return [
    change(sql.id('latitude'), sql.id('latitude')),
    change(sql.id('longitude'), sql.id('longitude')),
    {
      set: sql`base_purl = CASE WHEN ${isNumbered} THEN n.base ELSE c.base_purl END,
        purl_number = coalesce(n.purl_number, c.purl_number),
        purl_scope = CASE WHEN ${isNumbered} THEN ${purlScope}::int ELSE c.purl_scope END`,
      differs: isNumbered,
    },
  ]
}

/** Rows of a batch that belong to contacts which are there already, one row a contact, named as the staging columns. */
function mergedRows(account: AccountId, importId: number, plan: ImportPlan, options: LoadOptions): RawBuilder<unknown> {
  const { range, lane, place } = options
  const all = plan.columns.map(({ position }) => position)
  const source = sql`
    FROM ${stageTable(account, importId, 'matched')} AS m
    JOIN ${stagedRows(account, importId, plan, all)} ON g0.row_no = m.row_no
    WHERE ${inRange(sql`m.row_no`, range)} AND ${inLane(lane)} AND NOT m.is_new`
  const values: { name: RawBuilder<unknown>; value: RawBuilder<unknown> }[] = [
    { name: sql.id('base'), value: sql`CASE WHEN m.purl_number IS NOT NULL THEN m.base END` },
    { name: sql.id('purl_number'), value: sql`m.purl_number` },
    { name: sql.id('latitude'), value: coordinate(plan, place.latitude, 90) },
    { name: sql.id('longitude'), value: coordinate(plan, place.longitude, 180) },
    ...plan.columns.map(({ position }) => ({ name: sql.id(`s${position}`), value: stagedValue(plan, position) })),
  ]
  const single = sql.join(values.map(({ name, value }) => sql`${value} AS ${name}`))
  const latest = sql.join(
    values.map(
      ({ name, value }) =>
        sql`(array_agg(${value} ORDER BY m.row_no DESC) FILTER (WHERE ${value} IS NOT NULL))[1] AS ${name}`,
    ),
  )
  return sql`
    SELECT m.contact_id, ${single} ${source} AND NOT m.is_shared
    UNION ALL
    SELECT m.contact_id, ${latest} ${source} AND m.is_shared GROUP BY m.contact_id`
}

/** The number in a coordinate column if it is one and lies within ±`limit` degrees, else null. */
function coordinate(plan: ImportPlan, column: PlannedColumn | null, limit: number): RawBuilder<unknown> {
  if (!column) return sql`NULL::double precision`
  const value = stagedValue(plan, column.position)
  if (column.field.type === 'number')
    return sql`CASE WHEN ${value} BETWEEN ${-limit}::float8 AND ${limit}::float8 THEN ${value} END`
  if (column.field.type !== 'string') return sql`NULL::double precision`
  // CASE decides before it computes: the cast is reached only by text that is a number of at most three digits and a
  // fraction, and so cannot overflow.
  return sql`CASE WHEN length(${value}) < 40 AND ${value} ~ '^\\s*[+-]?[0-9]{1,3}(\\.[0-9]+)?\\s*$'
    THEN CASE WHEN abs(${value}::float8) <= ${limit}::float8 THEN ${value}::float8 END END`
}

function placeColumns({ latitude, longitude }: PlaceColumns): PlannedColumn[] {
  return [latitude, longitude].filter((column) => column !== null)
}

/** Columns of the plan by the table that holds them; the main table comes first and is always there. */
function tablesOf(plan: ImportPlan): { table: string; columns: PlannedColumn[] }[] {
  const byTable = new Map<string, PlannedColumn[]>([['contacts', []]])
  for (const column of plan.columns) {
    const columns = byTable.get(column.field.table) ?? []
    columns.push(column)
    byTable.set(column.field.table, columns)
  }
  return [...byTable].map(([table, columns]) => ({ table, columns }))
}
