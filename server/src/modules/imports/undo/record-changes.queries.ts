import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'
import type { ImportPlan } from '../import-plan.ts'
import { knownContacts, type LoadOptions, mergedRows, tablesOf } from '../loading/load.queries.ts'
import { firstContactId } from '../loading/match.queries.ts'
import { mark, writtenText } from './change-texts.ts'

/** The text of the PURL of a row of contact keys: scope, number and base. */
export const purlText = (keys: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(${keys}.purl_scope::text || ':' || ${keys}.purl_number::text || ':' || ${keys}.base_purl)`

/** Positions in `before` and `after`, from 1. */
export const placeOf = { latitude: 1, longitude: 2, purl: 3, firstColumn: 4 } as const

/** A value that an import may change: whether it does, its text before, and the text that identifies the new one. */
type Recorded = { differs: RawBuilder<unknown>; before: RawBuilder<unknown>; after: RawBuilder<unknown> }

/**
 * Records the present values of contacts that a batch is about to change. Must be called in the transaction of the
 * batch, before `updateKnownContacts`. The contacts are locked against changes in between.
 */
export async function insertChanges(
  db: Db,
  account: AccountId,
  importId: number,
  plan: ImportPlan,
  options: LoadOptions & { batch: number },
): Promise<void> {
  const parts = tablesOf(plan).flatMap(({ table }) => (table === 'contacts' ? [] : [table]))
  const joins = ['contact_keys', ...parts].map(
    (table) => sql`LEFT JOIN ${accountTable(account, table)} AS ${sql.id(table)} ON ${sql.id(table)}.id = contacts.id`,
  )
  // A statement that waits for a lock then sees only the locked rows in their new version, not those of further tables.
  if (parts.length > 0) await lockKnownContacts(db, account, importId, options)
  const recorded = recordedValues(plan, options.purlScope)
  const whereChanged = (pick: 'before' | 'after') =>
    sql.join(recorded.map((value) => sql`CASE WHEN ${value.differs} THEN ${value[pick]} END`))
  await sql`
    INSERT INTO ${accountTable(account, 'import_changes')} (contact_id, import_id, batch, before, after)
    SELECT n.contact_id, ${importId}::integer, ${options.batch}::integer,
      ARRAY[${whereChanged('before')}]::text[], ARRAY[${whereChanged('after')}]::text[]
    FROM (${mergedRows(account, importId, plan, options)}) AS n
    JOIN ${accountTable(account, 'contacts')} AS contacts ON contacts.id = n.contact_id
    ${sql.join(joins, sql` `)}
    WHERE n.contact_id < ${firstContactId(importId)}::bigint
      AND (${sql.join(
        recorded.map(({ differs }) => differs),
        sql` OR `,
      )})
    FOR NO KEY UPDATE OF contacts`.execute(db)
}

/** The last import with a record of a contact, 0 for none. The contact must be locked, so that none is changing it. */
export async function selectLastRecord(db: Db, account: AccountId, contact: string): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    SELECT coalesce(max(import_id), 0) AS last FROM ${accountTable(account, 'import_changes')}
    WHERE contact_id = ${contact}::bigint AND batch >= 0`.execute(db)
  return rows[0]?.last ?? 0
}

async function lockKnownContacts(db: Db, account: AccountId, importId: number, options: LoadOptions): Promise<void> {
  await sql`
    SELECT FROM ${accountTable(account, 'contacts')} WHERE id IN (${knownContacts(account, importId, options)})
    ORDER BY id FOR NO KEY UPDATE`.execute(db)
}

function recordedValues(plan: ImportPlan, purlScope: number): Recorded[] {
  const coordinates = ['latitude', 'longitude'].map((name) => {
    const known = sql`contact_keys.${sql.id(name)}`
    const value = sql`n.${sql.id(name)}`
    return { ...changed(value, known), before: writtenText(known, 'number'), after: mark(value, 'number') }
  })
  const purl = {
    differs: sql`n.purl_number IS NOT NULL`,
    before: purlText(sql`contact_keys`),
    after: sql`(${purlScope}::integer::text || ':' || n.purl_number::text || ':' || n.base)`,
  }
  const values = plan.columns.map(({ position, field: { table, column, type } }) => {
    const known = sql.id(table, column)
    const value = sql`n.${sql.id(`s${position}`)}`
    return { ...changed(value, known), before: writtenText(known, type), after: mark(value, type) }
  })
  return [...coordinates, purl, ...values]
}

const changed = (value: RawBuilder<unknown>, known: RawBuilder<unknown>) => ({
  differs: sql`(${value} IS NOT NULL AND ${value} IS DISTINCT FROM ${known})`,
})
