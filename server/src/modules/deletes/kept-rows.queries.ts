import type { AccountId } from '@portico/contract/accounts'
import type { FieldType } from '@portico/contract/contacts'
import { type RawBuilder, sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'

// Rows removed by bulk deletes are kept in `deleted_rows` until they are restored or erased.

const keptRows = (account: AccountId) => accountTable(account, 'deleted_rows')

/** Contacts of a delete whose rows are kept. */
export type KeptContacts = { deleteId: string; ids: readonly string[] }

/** The column of a field, by number, at the time its contacts were deleted. */
export type KeptField = { id: number; type: FieldType; column: number; part: number }

/** The columns of fields for the contacts that follow `after`. */
export type KeptFields = { after: string; fields: KeptField[] }

/** The source of rows with columns of fields; other sources are names of tables. */
const ofFields = 'fields'

/** Selects the kept rows of contacts from one table, as `d`. */
export const rowsOf = ({ deleteId, ids }: KeptContacts, table: string): RawBuilder<unknown> =>
  sql`d.delete_id = ${deleteId}::bigint AND d.source = ${table} AND d.contact_id = ANY(${sql.val(ids)}::bigint[])`

/** Copies the rows of contacts from one table; the contacts must be locked. Returns the number of rows. */
export async function insertKeptRows(
  db: Db,
  account: AccountId,
  { deleteId, ids }: KeptContacts,
  { table, column }: { table: string; column: 'id' | 'contact_id' },
): Promise<number> {
  const contact = sql.id('t', column)
  // Most columns of a contact are empty and can be omitted. In rows of other tables, a null within JSON has a meaning.
  const data = column === 'id' ? sql`jsonb_strip_nulls(to_jsonb(t))` : sql`to_jsonb(t)`
  const { numAffectedRows } = await sql`
    WITH kept AS MATERIALIZED (
      SELECT ${contact} AS contact_id, row_number() OVER (PARTITION BY ${contact})::integer AS place, ${data} AS data
      FROM ${accountTable(account, table)} AS t WHERE ${contact} = ANY(${sql.val(ids)}::bigint[])
    )
    INSERT INTO ${keptRows(account)} (delete_id, source, contact_id, place, data)
    SELECT ${deleteId}::bigint, ${table}::text, kept.contact_id, kept.place, kept.data FROM kept`.execute(db)
  return Number(numAffectedRows ?? 0)
}

export async function insertKeptFields(
  db: Db,
  account: AccountId,
  deleteId: string,
  { after, fields }: KeptFields,
): Promise<void> {
  await sql`
    INSERT INTO ${keptRows(account)} (delete_id, source, contact_id, place, data)
    VALUES (${deleteId}::bigint, ${ofFields}, ${after}::bigint, 1, ${JSON.stringify(fields)}::jsonb)`.execute(db)
}

/** Selects the columns of fields, which may have changed during the delete, in the order of the contacts. */
export async function selectKeptFields(db: Db, account: AccountId, deleteId: string): Promise<KeptFields[]> {
  const { rows } = await sql<KeptFields>`
    SELECT contact_id::text AS after, data AS fields FROM ${keptRows(account)}
    WHERE delete_id = ${deleteId}::bigint AND source = ${ofFields} ORDER BY contact_id`.execute(db)
  return rows
}

/**
 * Selects the next contacts after `position`, in the order of their ids. `upTo`: the last id allowed; null for no
 * limit.
 */
export async function selectKeptContacts(
  db: Db,
  account: AccountId,
  deleteId: string,
  { position, upTo, limit }: { position: string; upTo: string | null; limit: number },
): Promise<string[]> {
  const end = upTo === null ? sql`` : sql`AND contact_id <= ${upTo}::bigint`
  const { rows } = await sql<{ id: string }>`
    SELECT contact_id::text AS id FROM ${keptRows(account)}
    WHERE delete_id = ${deleteId}::bigint AND source = 'contacts' AND contact_id > ${position}::bigint ${end}
    ORDER BY contact_id LIMIT ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Returns whether contacts are kept whose id is at least one id and less than another; with `haveKeys`, contacts with a
 * key or PURL.
 */
export async function hasKeptContacts(
  db: Db,
  account: AccountId,
  deleteId: string,
  { from, before, haveKeys }: { from: bigint; before: bigint; haveKeys: boolean },
): Promise<boolean> {
  const source = haveKeys
    ? sql`(source = 'contact_keys' AND data ?| '{dedup_hash,base_purl}' OR source = 'merged_keys')`
    : sql`source = 'contacts'`
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (
      SELECT FROM ${keptRows(account)} WHERE delete_id = ${deleteId}::bigint AND ${source}
        AND contact_id >= ${String(from)}::bigint AND contact_id < ${String(before)}::bigint
    ) AS found`.execute(db)
  return rows[0]?.found ?? false
}

/** Deletes the kept rows of some contacts. */
export async function deleteKeptRows(
  db: Db,
  account: AccountId,
  { deleteId, ids }: KeptContacts,
  tables: readonly string[],
): Promise<void> {
  await sql`
    DELETE FROM ${keptRows(account)} WHERE delete_id = ${deleteId}::bigint
      AND source = ANY(${sql.val(tables)}::text[]) AND contact_id = ANY(${sql.val(ids)}::bigint[])`.execute(db)
}

/** Deletes the next kept rows of a delete, at most `limit`. Returns whether more are left. */
export async function deleteNextKeptRows(
  db: Db,
  account: AccountId,
  deleteId: string,
  limit: number,
): Promise<boolean> {
  // In the order of the primary key, to read no row twice.
  const { rows } = await sql<{ source: string; contact: string }>`
    SELECT source, contact_id::text AS contact FROM ${keptRows(account)} WHERE delete_id = ${deleteId}::bigint
    ORDER BY source, contact_id, place OFFSET ${limit - 1} LIMIT 1`.execute(db)
  const [last] = rows
  const end = last ? sql`AND (source, contact_id) <= (${last.source}, ${last.contact}::bigint)` : sql``
  await sql`DELETE FROM ${keptRows(account)} WHERE delete_id = ${deleteId}::bigint ${end}`.execute(db)
  return last !== undefined
}
