import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'
import type { ContactField } from './fields.service.ts'

// Dedup keys for contacts that have none, and which contacts get them.

type Key = { id: string; hash: string }

/** The number of contacts and the last id, without those of some imports. */
export async function selectContactsUpTo(
  db: Db,
  account: AccountId,
  exceptImports: readonly number[],
): Promise<{ count: number; upTo: string }> {
  const { rows } = await sql<{ count: number; upTo: string }>`
    SELECT count(*)::float8 AS count, coalesce(max(id), -1)::text AS "upTo" FROM ${accountTable(account, 'contacts')}
    WHERE import_id <> ALL(${sql.val(exceptImports)}::integer[])`.execute(db)
  return rows[0] ?? { count: 0, upTo: '-1' }
}

/** Selects the next contacts after `position`, in the order of their ids, without those of some imports. */
export async function selectContactsAfter(
  db: Db,
  account: AccountId,
  { position, upTo, limit, exceptImports }: { position: string; upTo: string; limit: number; exceptImports: number[] },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT c.id::text AS id FROM ${accountTable(account, 'contacts')} AS c
    WHERE c.id > ${position}::bigint AND c.id <= ${upTo}::bigint
      AND c.import_id <> ALL(${sql.val(exceptImports)}::integer[])
    ORDER BY c.id LIMIT ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Contacts without a dedup key that have a value in one of the fields, as a table `c` with their columns; without those of
 * some imports.
 */
export function keylessRows(
  account: AccountId,
  fields: readonly ContactField[],
  exceptImports: readonly number[],
): RawBuilder<unknown> {
  const parts = [...new Set(fields.map(({ table }) => table))].filter((table) => table !== 'contacts')
  const joins = [...parts, 'contact_keys'].map(
    (table) => sql`LEFT JOIN ${accountTable(account, table)} AS ${sql.id(table)} ON ${sql.id(table)}.id = contacts.id`,
  )
  const columns = fields.map(({ table, column }) => sql`, ${sql.id(table, column)} AS ${sql.id(column)}`)
  const filled = fields.map(({ table, column }) => sql`${sql.id(table, column)} IS NOT NULL`)
  return sql`(
    SELECT contacts.id${sql.join(columns, sql``)}
    FROM ${accountTable(account, 'contacts')} AS contacts ${sql.join(joins, sql` `)}
    WHERE contact_keys.dedup_hash IS NULL AND contacts.import_id <> ALL(${sql.val(exceptImports)}::integer[])
      AND (${sql.join(filled, sql` OR `)})) AS c`
}

/** Returns those of the contacts that have no dedup key, in the order of their ids. */
export async function selectKeyless(db: Db, account: AccountId, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT given.id::text AS id FROM unnest(${sql.val(ids)}::bigint[]) AS given (id)
    LEFT JOIN ${accountTable(account, 'contact_keys')} AS k ON k.id = given.id
    WHERE k.dedup_hash IS NULL ORDER BY given.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** SQL for whether no other contact has a key, also by a contact merged into it. */
export const isFreeKey = (
  account: AccountId,
  { id, hash }: { id: RawBuilder<unknown>; hash: RawBuilder<unknown> },
): RawBuilder<unknown> => sql`(
  NOT EXISTS (SELECT FROM ${accountTable(account, 'contact_keys')} AS own WHERE own.dedup_hash = ${hash})
  AND NOT EXISTS (
    SELECT FROM ${accountTable(account, 'merged_keys')} AS m WHERE m.dedup_hash = ${hash} AND m.contact_id <> ${id}))`

/**
 * Gives contacts without a dedup key theirs, except one that another contact has, also by a contact merged into it: of those with
 * the same key, the first by id gets it. Returns the contacts that got one. The caller must hold the account's lock of imports.
 */
export async function insertDedupKeys(db: Db, account: AccountId, keys: readonly Key[]): Promise<string[]> {
  const table = accountTable(account, 'contact_keys')
  const { rows } = await sql<{ id: string }>`
    WITH given AS MATERIALIZED (
      SELECT DISTINCT ON (hash) id, hash
      FROM unnest(${sql.val(keys.map(({ id }) => id))}::bigint[], ${sql.val(keys.map(({ hash }) => hash))}::uuid[])
        AS given (id, hash)
      ORDER BY hash, id
    )
    INSERT INTO ${table} AS k (id, dedup_hash)
    SELECT given.id, given.hash FROM given
    WHERE ${isFreeKey(account, { id: sql`given.id`, hash: sql`given.hash` })}
    ON CONFLICT (id) DO UPDATE SET dedup_hash = excluded.dedup_hash WHERE k.dedup_hash IS NULL
    RETURNING k.id::text AS id`.execute(db)
  return rows.map(({ id }) => id)
}

/** The contacts that have these keys, also by contacts merged into them: `contact` is the given one. */
export async function selectHolders(
  db: Db,
  account: AccountId,
  keys: readonly Key[],
): Promise<{ contact: string; other: string }[]> {
  const { rows } = await sql<{ contact: string; other: string }>`
    SELECT given.id::text AS contact, coalesce(k.id, m.contact_id)::text AS other
    FROM unnest(${sql.val(keys.map(({ id }) => id))}::bigint[], ${sql.val(keys.map(({ hash }) => hash))}::uuid[])
      AS given (id, hash)
    LEFT JOIN ${accountTable(account, 'contact_keys')} AS k ON k.dedup_hash = given.hash
    LEFT JOIN LATERAL (
      SELECT contact_id FROM ${accountTable(account, 'merged_keys')} WHERE dedup_hash = given.hash LIMIT 1
    ) AS m ON k.id IS NULL
    WHERE coalesce(k.id, m.contact_id) IS NOT NULL ORDER BY given.id`.execute(db)
  return rows
}
