import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { retirePurls } from '#contacts'
import { accountTable, type Db, isUniqueViolation } from '#platform/database.ts'
import { inSavepoint } from '#platform/rows/savepoint.ts'
import type { ChangedTables, ChangedValue } from './changed-values.ts'
import { type LaterPlace, overwrittenPlaces } from './later-records.queries.ts'

type Sql = RawBuilder<unknown>

/**
 * Records of an import: for some contacts, or for all but those of `except`. `later`: where later imports recorded the same
 * values.
 */
export type Recorded = {
  importId: number
  contacts: readonly string[] | null
  later: readonly LaterPlace[]
  except?: Sql
}

const recordsOf = (account: AccountId, { importId, contacts, except }: Recorded): Sql => sql`
  FROM ${accountTable(account, 'import_changes')} AS r WHERE r.import_id = ${importId}::integer
  ${contacts === null ? sql`` : sql`AND r.contact_id = ANY(${sql.val(contacts)}::bigint[])`}
  ${except ? sql`AND r.contact_id NOT IN (${except})` : sql``}`

const after = ({ place }: ChangedValue): Sql => sql.id(`a${place}`)
const before = ({ place }: ChangedValue): Sql => sql.id(`b${place}`)

/**
 * The records as one row per contact, `id`: for each value, the text that identifies the last one written by the import
 * (`a4`; null if it wrote none), and the first value before that (`b4`). A contact with several rows in the file may
 * have several records. `later`: places of values that later imports have changed.
 */
function ownRecords(account: AccountId, recorded: Recorded, values: readonly ChangedValue[]): Sql {
  const columns = values.map((value) => {
    const place = sql.lit(value.place)
    const isWritten = sql`FILTER (WHERE r.after[${place}] IS NOT NULL)`
    const written = sql`(array_agg(r.after[${place}] ORDER BY r.batch DESC) ${isWritten})[1]`
    const earlier = sql`(array_agg(r.before[${place}] ORDER BY r.batch) ${isWritten})[1]`
    return sql`, ${value.written(written)} AS ${after(value)}, ${value.earlier(earlier)} AS ${before(value)}`
  })
  const own = sql`SELECT r.contact_id AS id${sql.join(columns, sql``)} ${recordsOf(account, recorded)} GROUP BY r.contact_id`
  const places = new Set(values.map(({ place }) => place))
  const later = recorded.later.filter(({ place }) => places.has(place))
  if (later.length === 0) return sql`SELECT own.*, NULL::integer[] AS later FROM (${own}) AS own`
  return sql`SELECT own.*, l.places AS later FROM (${own}) AS own
    LEFT JOIN (${overwrittenPlaces(account, recorded, later)}) AS l ON l.id = own.id`
}

const isOverwritten = ({ place }: ChangedValue): Sql => sql`coalesce(${sql.lit(place)} = ANY(o.later), false)`
const isWritten = (value: ChangedValue): Sql => sql`o.${after(value)} IS NOT NULL`
const isStill = (value: ChangedValue): Sql => sql`${value.present(sql`c`)} = o.${after(value)}`

/** Whether the earlier PURL has been given to another contact. */
const isTaken = (account: AccountId, value: ChangedValue): Sql => sql`EXISTS (
  SELECT FROM ${accountTable(account, 'contact_keys')} AS t
  WHERE t.base_purl = ${purlPart(value, 3)} AND t.purl_scope = ${purlPart(value, 1)}::integer
    AND t.purl_number = ${purlPart(value, 2)}::integer AND t.id <> c.id)`

const purlPart = (value: ChangedValue, part: 1 | 2 | 3): Sql =>
  sql`split_part(o.${before(value)}, ':', ${sql.lit(part)})`

const isPurl = ({ name }: ChangedValue): boolean => name === 'purl'

/** Whether the value can be restored: the contact still has the one the import wrote, and no later import wrote it again. */
const canReturn = (account: AccountId, value: ChangedValue): Sql => {
  const isOwn = sql`${isWritten(value)} AND ${isStill(value)} AND NOT ${isOverwritten(value)}`
  return isPurl(value) ? sql`(${isOwn} AND NOT ${isTaken(account, value)})` : sql`(${isOwn})`
}

/** A value that is kept, since a later import or a person changed it, or its earlier one is taken. */
export type KeptValue = { contact: string; field: string; reason: 'imported' | 'changed' | 'taken' }

/** Selects the values that are kept: their number, and the first ones, by contact. */
export async function selectKeptValues(
  db: Db,
  account: AccountId,
  recorded: Recorded,
  tables: ChangedTables,
  limit: number,
): Promise<{ count: number; first: KeptValue[] }> {
  let count = 0
  const first: KeptValue[] = []
  for (const { table, values } of tables) {
    const listed = values.filter(({ name }) => name !== null)
    if (listed.length === 0) continue
    const kept = listed.map((value) => {
      const other = isPurl(value) ? sql`CASE WHEN ${isStill(value)} THEN 'taken' ELSE 'changed' END` : sql`'changed'`
      const reason = sql`CASE WHEN ${isOverwritten(value)} THEN 'imported' ELSE ${other} END`
      return sql`(${value.name}::text, ${reason}, ${isWritten(value)} AND ${canReturn(account, value)} IS NOT TRUE)`
    })
    const { rows } = await sql<KeptValue & { total: number }>`
      SELECT c.id::text AS contact, v.field, v.reason, (count(*) OVER ())::integer AS total
      FROM (${ownRecords(account, recorded, listed)}) AS o
      JOIN ${accountTable(account, table)} AS c ON c.id = o.id
      CROSS JOIN LATERAL (VALUES ${sql.join(kept)}) AS v (field, reason, is_kept)
      WHERE v.is_kept ORDER BY c.id LIMIT ${limit}`.execute(db)
    count += rows[0]?.total ?? 0
    first.push(...rows.map(({ contact, field, reason }) => ({ contact, field, reason })))
  }
  const byContact = first.toSorted((one, other) => Number(BigInt(one.contact) - BigInt(other.contact)))
  return { count, first: byContact.slice(0, limit) }
}

/** Counts the contacts with values to restore. */
export async function countReturning(
  db: Db,
  account: AccountId,
  recorded: Recorded,
  tables: ChangedTables,
): Promise<number> {
  const ids = tables
    .filter(({ values }) => values.length > 0)
    .map(
      ({ table, values }) => sql`
        SELECT c.id FROM (${ownRecords(account, recorded, values)}) AS o
        JOIN ${accountTable(account, table)} AS c ON c.id = o.id WHERE ${anyReturns(account, values)}`,
    )
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM (${sql.join(ids, sql` UNION `)}) AS returning_contacts`.execute(db)
  return rows[0]?.count ?? 0
}

const anyReturns = (account: AccountId, values: readonly ChangedValue[]): Sql =>
  sql`(${sql.join(
    values.map((value) => canReturn(account, value)),
    sql` OR `,
  )})`

/**
 * Restores the earlier values of contacts that still have those of the import. Returns the number of such contacts;
 * null, without any change, if another contact now has one of the values and a unique index forbids a second one.
 */
export async function returnUnlessTaken(
  db: Db,
  account: AccountId,
  recorded: Recorded,
  tables: ChangedTables,
  now: Date,
): Promise<number | null> {
  try {
    const { size } = await inSavepoint(db, () => returnValues(db, account, recorded, tables, now))
    return size
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    return null
  }
}

async function returnValues(
  db: Db,
  account: AccountId,
  recorded: Recorded,
  tables: ChangedTables,
  now: Date,
): Promise<Set<string>> {
  const returned = new Set<string>()
  for (const { table, values } of tables) {
    if (values.length > 0) for (const id of await returnTo(db, account, recorded, { table, values })) returned.add(id)
  }
  // The update of the full-text index finds contacts by their time of change.
  await sql`
    UPDATE ${accountTable(account, 'contacts')} SET updated_at = ${now}::timestamptz
    WHERE id = ANY(${sql.val([...returned])}::bigint[])`.execute(db)
  return returned
}

async function returnTo(
  db: Db,
  account: AccountId,
  recorded: Recorded,
  { table, values }: ChangedTables[number],
): Promise<string[]> {
  const changes = values.flatMap((value) => assignments(account, value))
  if (values.some(isPurl)) {
    // The import's PURLs are never reused.
    await retirePurls(db, account, sql`t.id IN (SELECT r.contact_id ${recordsOf(account, recorded)})`)
  }
  // Through the coordinator of a cluster, as the functions that read moments are not immutable.
  const { rows } = await sql<{ id: string }>`
    WITH o AS MATERIALIZED (${ownRecords(account, recorded, values)})
    UPDATE ${accountTable(account, table)} AS c SET ${sql.join(changes)}
    FROM o WHERE c.id = o.id AND ${anyReturns(account, values)}
    RETURNING c.id::text AS id`.execute(db)
  return rows.map(({ id }) => id)
}

function assignments(account: AccountId, value: ChangedValue): Sql[] {
  const returned = (column: string, earlier: Sql): Sql =>
    sql`${sql.id(column)} = CASE WHEN ${canReturn(account, value)} THEN ${earlier} ELSE c.${sql.id(column)} END`
  if (!isPurl(value)) return [returned(value.column, sql`o.${before(value)}`)]
  return [
    returned('purl_scope', sql`${purlPart(value, 1)}::integer`),
    returned('purl_number', sql`${purlPart(value, 2)}::integer`),
    returned('base_purl', purlPart(value, 3)),
  ]
}

/** Selects the next contacts after `position` with records of an import, in the order of their ids. */
export async function selectRecordedContacts(
  db: Db,
  account: AccountId,
  importId: number,
  { position, limit }: { position: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT DISTINCT contact_id::text AS id, contact_id FROM ${accountTable(account, 'import_changes')}
    WHERE import_id = ${importId}::integer AND batch >= 0 AND contact_id > ${position}::bigint
    ORDER BY contact_id LIMIT ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Deletes the records that an import has for these contacts. */
export async function deleteRecords(
  db: Db,
  account: AccountId,
  importId: number,
  contacts: readonly string[],
): Promise<void> {
  await sql`
    DELETE FROM ${accountTable(account, 'import_changes')}
    WHERE import_id = ${importId}::integer AND contact_id = ANY(${sql.val(contacts)}::bigint[])`.execute(db)
}

/**
 * Deletes the records of imports that can no longer be undone, for at most `limit` contacts after `position`. Returns
 * the last of these contacts; null if there are none.
 */
export async function deleteOldRecords(
  db: Db,
  account: AccountId,
  importIds: readonly number[],
  { position, limit }: { position: string; limit: number },
): Promise<string | null> {
  const changes = accountTable(account, 'import_changes')
  const old = sql`import_id = ANY(${sql.val(importIds)}::integer[]) AND contact_id > ${position}::bigint`
  // In the order of the primary key, to read no row twice.
  const { rows } = await sql<{ last: string | null }>`
    SELECT max(contact_id)::text AS last FROM (
      SELECT contact_id FROM ${changes} WHERE ${old} ORDER BY contact_id LIMIT ${limit}
    ) AS next`.execute(db)
  const last = rows[0]?.last ?? null
  if (last !== null) await sql`DELETE FROM ${changes} WHERE ${old} AND contact_id <= ${last}::bigint`.execute(db)
  return last
}
