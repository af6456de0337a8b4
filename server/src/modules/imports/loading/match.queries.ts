import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { retiredNumbers, type RetiredNumbers } from '#contacts'
import { accountTable, type Db } from '#platform/database.ts'
import { addKey, createFilled, stageTable } from './stage.queries.ts'

/** Number of an import's first contact; the other rows follow. Known before anything is written, and unique. */
export function firstContactId(importId: number): bigint {
  return BigInt(importId) << 33n
}

/** PURL numbers count within the account (0) or within the import (its id). */
export type PurlRule = { scope: number; keepsKnown: boolean } | null

/**
 * Matches every row to a contact: a new one, a known one, or one with several rows in the file (which its first row
 * creates). Assigns PURL numbers in file order: the first holder of a base gets 1, which is not shown. Runs once for
 * the whole file, since both are exact only then. PURLs once given in the account are never given again.
 */
export async function matchRows(db: Db, account: AccountId, importId: number, purl: PurlRule): Promise<void> {
  const matched = stageTable(account, importId, 'matched')
  const keys = stageTable(account, importId, 'keys')
  const contactKeys = accountTable(account, 'contact_keys')
  await sql`ANALYZE ${keys}`.execute(db)
  const rows = sql`
    WITH shared AS (
      ${sharedHashes(keys)}
    ), placed AS (
      SELECT k.row_no, k.hash, k.base, k.latitude, k.longitude, c.base_purl AS known_base,
        coalesce(c.id, ${firstContactId(importId)}::bigint + coalesce(s.first_row, k.row_no)) AS contact_id,
        coalesce(s.first_row, k.row_no) = k.row_no AS is_leader,
        c.id IS NULL AND coalesce(s.first_row, k.row_no) = k.row_no AS is_new,
        s.hash IS NOT NULL AS is_shared
      FROM ${keys} AS k LEFT JOIN shared AS s ON s.hash = k.hash LEFT JOIN ${contactKeys} AS c ON c.dedup_hash = k.hash
    )${purl ? numbered(purl, contactKeys, await retiredNumbers(db, account, purl.scope, sql`w.wanted`)) : unnumbered}`
  await createFilled(db, account, importId, 'matched', { columns: matchedColumns, rows, isImmutable: true })
  await addKey(db, account, importId, 'matched')
  await sql`ANALYZE ${matched}`.execute(db)
}

const matchedColumns = {
  contact_id: 'bigint',
  hash: 'uuid',
  base: 'text',
  purl_number: 'integer',
  latitude: 'double precision',
  longitude: 'double precision',
  is_new: 'boolean',
  is_shared: 'boolean',
}

/** Hashes that several rows of the file share, with the first of these rows. */
const sharedHashes = (keys: RawBuilder<unknown>) => sql`
  SELECT hash, min(row_no) AS first_row FROM ${keys} WHERE hash IS NOT NULL GROUP BY hash HAVING count(*) > 1`

/**
 * Partitions rows by a hash of their base instead of the text, which sorts in half the time. If two bases collide, they
 * are numbered together: their PURLs skip numbers, and stay unique.
 */
const samePlace = (base: RawBuilder<unknown>) => sql`hashtextextended(${base}, 0)`

const unnumbered = sql`
  SELECT row_no, contact_id, hash, NULL::text AS base, NULL::int AS purl_number, latitude, longitude, is_new, is_shared
  FROM placed`

function numbered(purl: NonNullable<PurlRule>, contactKeys: RawBuilder<unknown>, retired: RetiredNumbers) {
  const changesKnown = purl.keepsKnown ? sql`known_base IS NULL` : sql`known_base IS DISTINCT FROM base`
  return sql`, wanting AS (
      SELECT *, CASE WHEN is_leader AND (is_new OR ${changesKnown}) THEN base END AS wanted FROM placed
    ), taken AS (
      SELECT base_purl, max(purl_number) AS last_number FROM ${contactKeys}
      WHERE purl_scope = ${purl.scope}::int GROUP BY base_purl
    )
    SELECT row_no, contact_id, hash, wanted AS base,
      CASE WHEN wanted IS NOT NULL
        THEN (row_number() OVER (PARTITION BY ${samePlace(sql`wanted`)} ORDER BY row_no)
          + greatest(t.last_number, ${retired.last}))::int END AS purl_number,
      latitude, longitude, is_new, is_shared
    FROM wanting AS w LEFT JOIN taken AS t ON t.base_purl = w.wanted ${retired.join}`
}

/**
 * The same for an import whose rows are already contacts, the first of their account: no key exists yet, and the keys
 * of the rows become those of the contacts. Processes one share of the rows, with all holders of a PURL base in the
 * same share, ordered by id for the join with the contacts. Rows that share their hash with an earlier one get none,
 * see `mergeRepeatedRows`. Returns the number of contacts that got keys.
 */
export async function insertFirstKeys(
  db: Db,
  account: AccountId,
  importId: number,
  purl: PurlRule,
  share: { lane: number; lanes: number },
): Promise<number> {
  const place = samePlace(sql`k.base`)
  const retired = purl && (await retiredNumbers(db, account, purl.scope, sql`k.base`))
  const number = retired
    ? sql`(row_number() OVER (PARTITION BY ${place} ORDER BY k.row_no) + ${retired.last})::int`
    : sql`NULL::int`
  // Without PURLs there is no base, and rows can be divided arbitrarily.
  const divided = purl ? place : sql`k.row_no`
  const { numAffectedRows } = await sql`
    INSERT INTO ${accountTable(account, 'contact_keys')}
      (id, dedup_hash, purl_scope, base_purl, purl_number, latitude, longitude)
    SELECT ${firstContactId(importId)}::bigint + k.row_no, k.hash, ${purl?.scope ?? null}::int, k.base, ${number},
      k.latitude, k.longitude
    FROM ${stageTable(account, importId, 'keys')} AS k
    LEFT JOIN ${stageTable(account, importId, 'matched')} AS m ON m.row_no = k.row_no ${retired?.join ?? sql``}
    WHERE m.row_no IS NULL AND abs(${divided} % ${share.lanes}::bigint) = ${share.lane}::bigint
    ORDER BY k.row_no`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Removes the keys that an interrupted attempt gave to the contacts of an import, and their records. */
export async function clearFirstKeys(db: Db, account: AccountId, importId: number, batch: number): Promise<void> {
  await sql`
    DELETE FROM ${accountTable(account, 'import_batches')}
    WHERE import_id = ${importId} AND batch = ${batch}`.execute(db)
  await sql`
    DELETE FROM ${accountTable(account, 'contact_keys')}
    WHERE id >= ${firstContactId(importId)}::bigint AND id < ${firstContactId(importId + 1)}::bigint`.execute(db)
}

/** Rows of a directly loaded file, and those among them that repeat an earlier row's contact. */
export type RowCounts = { rows: number; repeated: number }

/** Finds the rows of a directly loaded file that repeat an earlier row's contact: `row_no` → `contact_id`. */
export async function findRepeatedRows(db: Db, account: AccountId, importId: number): Promise<RowCounts> {
  const keys = stageTable(account, importId, 'keys')
  const repeated = sql`
    SELECT k.row_no, ${firstContactId(importId)}::bigint + s.first_row AS contact_id
    FROM (${sharedHashes(keys)}) AS s JOIN ${keys} AS k ON k.hash = s.hash
    WHERE k.row_no <> s.first_row`
  const columns = { contact_id: 'bigint' }
  await createFilled(db, account, importId, 'matched', { columns, rows: repeated, isImmutable: true })
  await addKey(db, account, importId, 'matched')
  return { rows: await countRows(db, keys), repeated: await countRepeatedRows(db, account, importId) }
}

/** Counts the rows that `findRepeatedRows` found. */
export async function countRepeatedRows(db: Db, account: AccountId, importId: number): Promise<number> {
  return countRows(db, stageTable(account, importId, 'matched'))
}

async function countRows(db: Db, table: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM ${table}`.execute(db)
  return rows[0]?.count ?? 0
}
