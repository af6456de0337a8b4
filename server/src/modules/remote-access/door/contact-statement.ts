import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { foldName } from '@portico/domain/names'
import { withoutOuterSpace } from '@portico/domain/white-space'
import type { AccountId } from '@portico/contract/accounts'
import { columnType, type ContactField, lookupCondition, lookupParameters, purlHolders, purlParts } from '#contacts'
import type { ContactFilterField, ContactSource, Sql } from '#filters'
import type { Db } from '#platform/database.ts'
import type { PreparedStatement } from '#platform/strangers/lookups.ts'
import type { LookupUnits } from '../lookup-units.ts'
import { isRowNumber } from '#platform/ids.ts'

/**
 * Finds the contact with given values of the authentication columns. It always returns one row, which has the contact
 * only if exactly one matches: no match and several take the same work, in the database and in the process that reads
 * the row.
 */
export type ContactStatement = {
  /** @param values by folded column name */
  of: (values: ReadonlyMap<string, string>) => PreparedStatement
  /** Reads the row: the number of contacts (two means two or more), and the public columns that have a value. */
  read: (row: unknown[]) => FoundContact
}

type FoundContact = { contacts: 1; id: string; offer: Record<string, string | number | boolean> } | { contacts: 0 | 2 }

type Condition = { sql: Sql; values: (values: ReadonlyMap<string, string>) => unknown[] }

/** Compiles the statement of an access. Its text depends only on the access and the field catalog. */
export function contactStatement(
  db: Db,
  source: ContactSource,
  units: LookupUnits,
  publicColumns: readonly string[],
): ContactStatement {
  const output = source.scope()
  const columns = publicColumns.flatMap((name) => output.resolve(name) ?? [])
  const lookup = source.scope()
  const conditions: Condition[] = units.indexed.map((fields) => indexedCondition(fields, source.reading.timeZone))
  for (const { name } of units.indexed.flat()) lookup.resolve(name)
  if (units.hasId) conditions.push(idCondition)
  if (units.hasPurl) {
    conditions.push(purlCondition(source.account))
  }
  const where = sql.join(
    conditions.map((condition) => condition.sql),
    sql` AND `,
  )
  const names = columns.map((_field, at) => sql.id(`v${at}`))
  const values = columns.map((field, at) => sql`${field.sql} AS ${sql.id(`v${at}`)}`)
  const query = sql`SELECT ${sql.join([sql`found.number`, sql`found.id`, ...names])}
    FROM (SELECT count(*)::int AS number, min(id) AS id FROM (
      SELECT contacts.id FROM ${lookup.from()} WHERE ${where} LIMIT ${sql.lit(2)}
    ) AS matching) AS found
    LEFT JOIN LATERAL (
      SELECT ${sql.join(values)} FROM ${output.from()} WHERE contacts.id = found.id AND found.number = 1
    ) AS contact ON TRUE`
  // The placeholders are numbered in the order of the conditions.
  const { sql: text } = query.compile(db)
  // A prepared statement fails once a column of its result has another type.
  const types = columns.map(({ type }) => type).join(' ')
  const name = createHash('sha256').update(`${types} ${text}`).digest('base64url')
  return {
    of: (values) => ({
      name,
      text,
      values: conditions.flatMap((condition) => condition.values(values)),
      ofAccount: true,
    }),
    read: ([number, id, ...found]) =>
      number === 1
        ? { contacts: 1, id: String(id), offer: offerOf(columns, found) }
        : { contacts: number === 0 ? 0 : 2 },
  }
}

function indexedCondition(fields: readonly ContactField[], timeZone: string): Condition {
  return {
    sql: sql`${lookupCondition(fields, timeZone)} AND (TRUE OR ${typesOf(fields)})`,
    values: (values) =>
      lookupParameters(
        fields,
        fields.map(({ name }) => values.get(foldName(name)) ?? ''),
      ),
  }
}

/**
 * Never evaluated, but refused when the statement is parsed after a column has changed its type: otherwise it would
 * read all contacts, as there is no index of the earlier type.
 */
const typesOf = (fields: readonly ContactField[]): Sql =>
  sql.join(
    fields.map(({ column, type }) => sql`ARRAY[${sql.id(column)}] = NULL::${columnType(type)}[]`),
    sql` AND `,
  )

const idCondition: Condition = {
  sql: sql`contacts.id = ${null}::bigint`,
  values(values) {
    const id = withoutOuterSpace(values.get('_id') ?? '')
    return [isRowNumber(id) ? id : null]
  },
}

/** Also by the PURL of a contact that was merged into another. An array, so that the primary key finds the contacts. */
const purlCondition = (account: AccountId): Condition => ({
  sql: sql`contacts.id = ANY(ARRAY(
    SELECT holders.id FROM ${purlHolders(account)} AS holders
    WHERE holders.base_purl = ${null}::text AND coalesce(holders.purl_number, 1) = ${null}::int))`,
  values(values) {
    const purl = withoutOuterSpace(values.get('purl') ?? '').toLowerCase()
    const parts = purl.includes('\0') ? null : purlParts(purl)
    return [parts?.base ?? null, parts?.number ?? null]
  },
})

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
