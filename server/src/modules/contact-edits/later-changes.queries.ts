import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import type { ContactValue } from '#contacts'
import type { LaterEdits } from '#imports'
import { accountTable, type Db } from '#platform/database.ts'
import type { ChangeRow } from './changes.queries.ts'

// The order of changes that wrote the same value of a contact, for undos (ADR 0168).

type Sql = RawBuilder<unknown>

const valuesOf = (account: AccountId): Sql => sql`
  ${accountTable(account, 'contact_changes')} AS h
  CROSS JOIN LATERAL jsonb_array_elements(h.fields) WITH ORDINALITY AS g (given, place)`

const fieldOf = sql`(g.given ->> 'field')::integer`
const stands = sql`NOT jsonb_exists(g.given, 'undone')`

/**
 * SQL for the values that changes of contacts wrote and that were not taken back: number of the change (`id`), position in it
 * (`place`), `contact_id`, `field`, the last import before it (`last_import`), and to what its undo leads (`returns`).
 */
const standing = (account: AccountId, contacts: Sql): Sql => sql`
  SELECT h.id, g.place, h.contact_id, ${fieldOf} AS field, h.last_import,
    CASE WHEN jsonb_exists(g.given, 'returns') THEN g.given -> 'returns' ELSE g.given -> 'from' END AS returns
  FROM ${valuesOf(account)} WHERE h.contact_id = ANY(${contacts}) AND ${stands}`

/** Replaces to what undos of changes lead. `passed`: SQL for rows of `id`, `place` and the new `returns`. */
async function passOn(db: Db, account: AccountId, passed: Sql): Promise<void> {
  const changes = accountTable(account, 'contact_changes')
  await sql`
    WITH passed AS MATERIALIZED (${passed}),
    spliced AS MATERIALIZED (
      SELECT h.id, jsonb_agg(CASE WHEN passed.id IS NULL THEN g.given ELSE jsonb_set(g.given, '{returns}', passed.returns) END
        ORDER BY g.place) AS fields
      FROM ${valuesOf(account)} LEFT JOIN passed ON passed.id = h.id AND passed.place = g.place
      WHERE h.id IN (SELECT id FROM passed) GROUP BY h.id
    )
    UPDATE ${changes} AS h SET fields = s.fields FROM spliced AS s WHERE h.id = s.id`.execute(db)
}

/** Changes by people, for undos of imports. */
export const laterEdits: LaterEdits = { standing, passOn }

/** A value that a change wrote and that was not taken back. */
export type StandingValue = { id: string; place: number; field: number; lastImport: number; returns: ContactValue }

/** Selects the first standing change of each field of a contact after a change; not `except`. */
export async function selectNextChanges(
  db: Db,
  account: AccountId,
  contact: string,
  { after, except = null }: { after: string; except?: string | null },
): Promise<Map<number, StandingValue>> {
  const { rows } = await sql<StandingValue>`
    SELECT DISTINCT ON (field) id::text AS id, place::integer AS place, field, last_import AS "lastImport", returns
    FROM (${standing(account, sql`ARRAY[${contact}]::bigint[]`)}) AS s
    WHERE s.id > ${after}::bigint AND s.id IS DISTINCT FROM ${except}::bigint ORDER BY field, s.id`.execute(db)
  return new Map(rows.map((row) => [row.field, row]))
}

/** Replaces to what undos of these values lead. */
export async function updateReturns(
  db: Db,
  account: AccountId,
  values: readonly (Pick<StandingValue, 'id' | 'place'> & { returns: ContactValue })[],
): Promise<void> {
  if (values.length === 0) return
  const columns = [values.map(({ id }) => id), values.map(({ place }) => place)]
  const returns = values.map((value) => JSON.stringify(value.returns))
  await passOn(
    db,
    account,
    sql`SELECT * FROM unnest(${sql.val(columns[0])}::bigint[], ${sql.val(columns[1])}::integer[], ${sql.val(returns)}::jsonb[])
      AS t (id, place, returns)`,
  )
}

/** Marks the values that changes wrote in these fields as taken back. */
export async function markUndone(
  db: Db,
  account: AccountId,
  changes: readonly string[],
  fields: readonly number[],
): Promise<void> {
  if (fields.length === 0) return
  await sql`
    WITH marked AS MATERIALIZED (
      SELECT h.id, jsonb_agg(
        CASE WHEN ${fieldOf} = ANY(${sql.val(fields)}::integer[]) THEN jsonb_set(g.given, '{undone}', 'true') ELSE g.given END
        ORDER BY g.place) AS fields
      FROM ${valuesOf(account)} WHERE h.id = ANY(${sql.val(changes)}::bigint[]) GROUP BY h.id
    )
    UPDATE ${accountTable(account, 'contact_changes')} AS h SET fields = m.fields FROM marked AS m WHERE h.id = m.id`.execute(
    db,
  )
}

/** Selects the merges into some contacts that have not been taken back in them, newest first. */
export async function selectStandingMerges(
  db: Db,
  account: AccountId,
  contacts: readonly string[],
): Promise<ChangeRow[]> {
  const { rows } = await sql<ChangeRow>`
    SELECT h.* FROM ${accountTable(account, 'contact_changes')} AS h
    WHERE h.contact_id = ANY(${sql.val(contacts)}::bigint[]) AND h.kind = 'merged' AND EXISTS (
      SELECT FROM jsonb_array_elements(h.fields) AS g (given) WHERE ${stands})
      AND NOT EXISTS (SELECT FROM ${accountTable(account, 'contact_changes')} AS u
        WHERE u.contact_id = h.contact_id AND u.undoes = h.id)
    ORDER BY h.id DESC`.execute(db)
  return rows
}
