import type { AccountId } from '@portico/contract/accounts'
import type { SortOrder } from '@portico/contract/indexes'
import { type RawBuilder, sql } from 'kysely'
import { type ContactField, valueText } from '#contacts'
import { accountSchema, accountTable, type Db } from '#platform/database.ts'

/** An index as PostgreSQL has it. */
export type PhysicalIndex = {
  name: string
  table: string
  columns: RawBuilder<unknown>[]
  isUnique: boolean
}

/** A field of an index with its order. */
export type IndexColumn = { field: ContactField; order: SortOrder }

/**
 * The index itself, in the order in which filters compare and sort: text as people expect it, no value last either way.
 * @param textOrder COLLATE clause of text, the one of filters: only then their conditions are served
 */
export function orderedIndex(
  id: number,
  columns: readonly IndexColumn[],
  isUnique: boolean,
  textOrder: RawBuilder<unknown>,
): PhysicalIndex {
  return {
    name: physicalName(id),
    table: columns[0]?.field.table ?? '',
    columns: columns.map(({ field, order }) => {
      const collation = field.type === 'string' ? textOrder : sql``
      return sql`${sql.id(field.column)} ${collation} ${order === 1 ? sql`ASC` : sql`DESC`} NULLS LAST`
    }),
    isUnique,
  }
}

/** For "starts with": LIKE finds a beginning only in an index that compares letter by letter. One a field. */
export function prefixIndex(field: ContactField): PhysicalIndex {
  return {
    name: prefixName(field),
    table: field.table,
    columns: [sql`${sql.id(field.column)} text_pattern_ops`],
    isUnique: false,
  }
}

/** A name may be longer than PostgreSQL's identifiers; the number of the row is not. */
export function physicalName(id: number): string {
  return `field_index_${id}`
}

export function prefixName({ column }: ContactField): string {
  return `prefix_index_${column}`
}

/** Whether an index is there, and whole; one whose building was interrupted is there and not valid. */
export async function selectIsValid(db: Db, account: AccountId, name: string): Promise<boolean | null> {
  const { rows } = await sql<{ is_valid: boolean }>`
    SELECT i.indisvalid AS is_valid FROM pg_index AS i
    JOIN pg_class AS c ON c.oid = i.indexrelid
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = ${accountSchema(account)} AND c.relname = ${name}`.execute(db)
  return rows[0]?.is_valid ?? null
}

/** Builds an index while others read and write the table. Never inside a transaction; takes as long as it takes. */
export async function createConcurrently(
  db: Db,
  account: AccountId,
  { name, table, columns, isUnique }: PhysicalIndex,
): Promise<void> {
  await sql`CREATE ${isUnique ? sql`UNIQUE` : sql``} INDEX CONCURRENTLY ${sql.id(name)}
    ON ${accountTable(account, table)} (${sql.join(columns)})`.execute(db)
}

/** Drops an index, whole or not, without stopping searches; nothing happens when there is none. */
export async function dropConcurrently(db: Db, account: AccountId, name: string): Promise<void> {
  await sql`DROP INDEX CONCURRENTLY IF EXISTS ${sql.id(accountSchema(account), name)}`.execute(db)
}

// Any number; the account makes it the lock of one account.
const indexLock = 7_215_095n << 32n

/** Takes the account's lock of index changes for this connection, or answers false at once. */
export async function tryIndexLock(db: Db, account: AccountId): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    SELECT pg_try_advisory_lock(${String(indexLock + BigInt(account))}::bigint) AS taken`.execute(db)
  return rows[0]?.taken ?? false
}

export async function releaseIndexLock(db: Db, account: AccountId): Promise<void> {
  await sql`SELECT pg_advisory_unlock(${String(indexLock + BigInt(account))}::bigint)`.execute(db)
}

/** Values that several contacts share. */
export type Repeated = { values: number; contacts: number; example: string[]; occurs: number }

/** What stands in the way of a unique index over these fields of one table; null when nothing does. */
export async function selectRepeated(
  db: Db,
  account: AccountId,
  fields: readonly ContactField[],
): Promise<Repeated | null> {
  const columns = fields.map(({ column }) => sql.id(column))
  const present = columns.map((column) => sql`${column} IS NOT NULL`)
  const texts = fields.map(({ column, type }) => valueText(sql.id(column), type))
  const { rows } = await sql<Repeated>`
    WITH repeated AS (
      SELECT ${sql.join(columns)}, count(*) AS occurs FROM ${accountTable(account, fields[0]?.table ?? '')}
      WHERE ${sql.join(present, sql` AND `)} GROUP BY ${sql.join(columns)} HAVING count(*) > 1
    )
    SELECT (SELECT count(*)::float8 FROM repeated) AS values, (SELECT sum(occurs)::float8 FROM repeated) AS contacts,
      ARRAY[${sql.join(texts)}] AS example, occurs::float8 AS occurs
    FROM repeated ORDER BY repeated.occurs DESC, ${sql.join(columns)} LIMIT 1`.execute(db)
  return rows[0] ?? null
}
