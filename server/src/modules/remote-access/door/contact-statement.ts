import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { type ContactField, foldName, lookupKey, lookupParameters, lookupValue, purlParts } from '#contacts'
import type { ContactFilterField, ContactSource, Sql } from '#filters'
import type { Db } from '#platform/database.ts'
import type { PreparedStatement } from '#platform/lookups.ts'
import type { LookupUnits } from '../lookup-units.ts'

/** Finds the contacts with given values of the authentication columns, at most two: more are as good as two. */
export type ContactStatement = {
  /** @param values by folded column name */
  of: (values: ReadonlyMap<string, string>) => PreparedStatement
  /** Reads a row: the id of the contact and its public columns, without those that have no value. */
  read: (row: unknown[]) => { id: string; offer: Record<string, string | number | boolean> }
}

type Condition = { sql: Sql; values: (values: ReadonlyMap<string, string>) => unknown[] }

/** Compiles the statement of an access. Its text depends on the access and the catalogue of fields only. */
export function contactStatement(
  db: Db,
  source: ContactSource,
  units: LookupUnits,
  publicColumns: readonly string[],
): ContactStatement {
  const scope = source.scope()
  const columns = publicColumns.flatMap((name) => scope.resolve(name) ?? [])
  const conditions: Condition[] = units.indexed.map((fields) => indexedCondition(fields, source.reading.timeZone))
  for (const { name } of units.indexed.flat()) scope.resolve(name)
  if (units.hasId) conditions.push(idCondition)
  if (units.hasPurl) {
    scope.resolve('purl')
    conditions.push(purlCondition)
  }
  const query = sql`SELECT ${sql.join([sql`contacts.id`, ...columns.map((field) => field.sql)])} FROM ${scope.from()}
    WHERE ${sql.join(
      conditions.map((condition) => condition.sql),
      sql` AND `,
    )} LIMIT ${sql.lit(2)}`
  // The placeholders are numbered in the order of the conditions.
  const { sql: text } = query.compile(db)
  const name = createHash('sha256').update(text).digest('base64url')
  return {
    of: (values) => ({ name, text, values: conditions.flatMap((condition) => condition.values(values)) }),
    read: ([id, ...found]) => ({ id: String(id), offer: offerOf(columns, found) }),
  }
}

function indexedCondition(fields: readonly ContactField[], timeZone: string): Condition {
  return {
    sql: sql`${lookupKey(fields)} = ${lookupValue(fields, timeZone)}`,
    values: (values) =>
      lookupParameters(
        fields,
        fields.map(({ name }) => values.get(foldName(name)) ?? ''),
      ),
  }
}

const idCondition: Condition = {
  sql: sql`contacts.id = ${null}::bigint`,
  values(values) {
    const id = values.get('_id')?.trim() ?? ''
    return [/^\d{1,18}$/.test(id) ? id : null]
  },
}

const purlCondition: Condition = {
  sql: sql`contact_keys.base_purl = ${null}::text AND coalesce(contact_keys.purl_number, 1) = ${null}::int`,
  values(values) {
    const purl = (values.get('purl') ?? '').trim().toLowerCase()
    const parts = purl.includes('\0') ? null : purlParts(purl)
    return [parts?.base ?? null, parts?.number ?? null]
  },
}

function offerOf(
  columns: readonly ContactFilterField[],
  values: readonly unknown[],
): Record<string, string | number | boolean> {
  const offer: Record<string, string | number | boolean> = {}
  for (const [at, { name }] of columns.entries()) {
    const value = values[at]
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') offer[name] = value
  }
  return offer
}
