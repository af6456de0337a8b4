import type { AccountId } from '@portico/contract/accounts'
import type { SortOrder } from '@portico/contract/indexes'
import { type RawBuilder, sql } from 'kysely'
import { type ContactField, lookupIndexName, lookupKey, valueText } from '#contacts'
import { accountSchema, accountTable, type Db } from '#platform/database.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'

/** An index in PostgreSQL. */
export type PhysicalIndex = {
  name: string
  table: string
  columns: RawBuilder<unknown>[]
  isUnique: boolean
  /** By itself a B-tree. */
  method?: 'gin'
}

/** A field of an index with its order. */
export type IndexColumn = { field: ContactField; order: SortOrder }

/**
 * Returns the main index, in the order of filters: text by its collation, missing values last in both directions.
 * @param textOrder COLLATE clause of text; has to be that of filters, or their conditions cannot use the index
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

/** Returns the prefix index of a field, for "starts with": LIKE needs an index that compares character by character. */
export function prefixIndex(field: ContactField): PhysicalIndex {
  return {
    name: prefixName(field),
    table: field.table,
    columns: [sql`${sql.id(field.column)} text_pattern_ops`],
    isUnique: false,
  }
}

/** Returns the index that finds the contact with given values of one or two fields of one table, in order of their ids. */
export function lookupIndex(columns: readonly IndexColumn[]): PhysicalIndex {
  const fields = columns.map(({ field }) => field)
  return {
    name: lookupIndexName(fields),
    table: fields[0]?.table ?? '',
    columns: [sql`(${lookupKey(fields)})`],
    isUnique: false,
  }
}

/**
 * Returns the index that finds the texts with given letters in a row, for LIKE and regular expressions on the plain column.
 * @param schema of the extension pg_trgm
 */
export function trigramIndex(id: number, field: ContactField, schema: string): PhysicalIndex {
  return {
    name: trigramName(id),
    table: field.table,
    columns: [sql`${sql.id(field.column)} ${sql.id(schema, 'gin_trgm_ops')}`],
    isUnique: false,
    method: 'gin',
  }
}

export function trigramName(id: number): string {
  return `trigram_index_${id}`
}

/** Uses the row's id, as a name may be longer than PostgreSQL's identifiers. */
export function physicalName(id: number): string {
  return `field_index_${id}`
}

export function prefixName({ column }: ContactField): string {
  return `prefix_index_${column}`
}

/** Returns whether an index is valid, or null if there is none. An interrupted build leaves an invalid one. */
export async function selectIsValid(db: Db, account: AccountId, name: string): Promise<boolean | null> {
  const { rows } = await sql<{ is_valid: boolean }>`
    SELECT indisvalid AS is_valid FROM pg_index
    WHERE indexrelid = to_regclass(${accountSchema(account)} || '.' || quote_ident(${name}))`.execute(db)
  return rows[0]?.is_valid ?? null
}

/** Builds an index without blocking reads and writes. Cannot run in a transaction; may take hours. */
export async function createConcurrently(db: Db, account: AccountId, index: PhysicalIndex): Promise<void> {
  const unique = index.isUnique ? sql`UNIQUE` : sql``
  await sql`CREATE ${unique} INDEX CONCURRENTLY ${definitionOf(account, index)}`.execute(db)
}

/** Builds an index that is not unique, in the transaction of `db`, which should have locked the table already. */
export async function createIndex(db: Db, account: AccountId, index: PhysicalIndex): Promise<void> {
  await sql`CREATE INDEX ${definitionOf(account, index)}`.execute(db)
}

function definitionOf(account: AccountId, { name, table, columns, method }: PhysicalIndex): RawBuilder<unknown> {
  const using = method === 'gin' ? sql`USING gin` : sql``
  return sql`${sql.id(name)} ON ${accountTable(account, table)} ${using} (${sql.join(columns)})`
}

/** Drops an index, valid or not, without blocking searches. Does nothing if there is none. */
export async function dropConcurrently(db: Db, account: AccountId, name: string): Promise<void> {
  await sql`DROP INDEX CONCURRENTLY IF EXISTS ${sql.id(accountSchema(account), name)}`.execute(db)
}

/** The same in a transaction, for an account without contacts. */
export async function dropIndex(db: Db, account: AccountId, name: string): Promise<void> {
  await sql`DROP INDEX IF EXISTS ${sql.id(accountSchema(account), name)}`.execute(db)
}

/** Takes the account's lock for index changes on this connection. Returns false at once if it is held. */
export async function tryIndexLock(db: Db, account: AccountId): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    SELECT pg_try_advisory_lock(${String(accountLock('indexes', account))}::bigint) AS taken`.execute(db)
  return rows[0]?.taken ?? false
}

export async function releaseIndexLock(db: Db, account: AccountId): Promise<void> {
  await sql`SELECT pg_advisory_unlock(${String(accountLock('indexes', account))}::bigint)`.execute(db)
}

/** Values that several contacts share. `example`: their beginnings, a little longer than a sentence shows. */
export type Repeated = { values: number; contacts: number; example: string[]; occurs: number }

/** More than `shortened` keeps: the driver reads long texts of an array slowly. */
const exampleLetters = 200

/** Returns the duplicates that prevent a unique index over these fields of one table; null without any. */
export async function selectRepeated(
  db: Db,
  account: AccountId,
  fields: readonly ContactField[],
): Promise<Repeated | null> {
  const columns = fields.map(({ column }) => sql.id(column))
  const present = columns.map((column) => sql`${column} IS NOT NULL`)
  const texts = fields.map(
    ({ column, type }) => sql`left(${valueText(sql.id(column), type)}, ${sql.lit(exampleLetters)})`,
  )
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
