import type { FieldType, internalFieldNames } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/accounts'
import { errors } from '@portico/contract/errors'
import type { Stages } from '@portico/contract/filter'
import { sql } from 'kysely'
import { findByName } from '@portico/domain/names'
import { type ContactField, listContactFields, purlParts } from '#contacts'
import { accountTimeZone } from '#accounts'
import { AppError } from '#platform/app-error.ts'
import { accountTable, type Db } from '#platform/database.ts'
import type { AccountFacts } from '#platform/http/context.ts'
import { eventsField, type Reading } from './filter-events.ts'
import {
  type Comparison,
  comparisons,
  type FieldResolver,
  type FilterField,
  fieldOf,
  type SpecialField,
  type Sql,
} from './filter-field.ts'
import { locationField } from './filter-location.ts'
import { compilePipeline } from './filter-pipeline.ts'
import { textField } from './filter-text.ts'
import { selectTextOrder } from './text-order.queries.ts'

/** A field of contacts, and the table of the account that holds it. */
export type ContactFilterField = FilterField & { table: string }

/** The contacts of an account as queries read them. */
export type ContactSource = {
  account: AccountId
  reading: Reading
  /** Imported fields, oldest first. */
  imported: ContactFilterField[]
  /** Fields that the portal itself maintains for each contact. */
  internal: ContactFilterField[]
  /** Imported and internal fields. */
  fields: ContactFilterField[]
  /** Whether its queries see only some of the contacts. */
  isRestricted: boolean
  /** SQL for the FROM clause: the events of the contacts that its queries see, without an alias. */
  events: Sql
  /** Starts a new query, which joins only the tables that its fields need. */
  scope: () => ContactScope
}

type ContactScope = {
  /** Finds a field by its name, without regard to case, and adds its table to the query. */
  resolve: ((name: string) => ContactFilterField | undefined) & Required<Pick<FieldResolver, 'special'>>
  /** SQL for the FROM clause: `contacts`, joined with the further tables of the fields resolved so far. */
  from: () => Sql
}

/**
 * Reads the field catalog. `hasFullTextIndex`: the full-text index is up to date (see filter-text.ts); without it,
 * `$text` reads the contacts. `facts`: values the request already knows, which saves queries. `rows`: a row rule;
 * queries see only the contacts it lets through, null for all contacts.
 * @throws row_rule_invalid if the account's fields do not fit `rows`
 */
export async function openContactSource(
  db: Db,
  account: AccountId,
  { rows, hasFullTextIndex = false, isOwnQuery = false, facts }: SourceOptions,
): Promise<ContactSource> {
  // In sequence: `db` may be a transaction, and usually everything is cached.
  const textOrder = await selectTextOrder(db)
  const timeZone = facts?.timeZone ?? (await accountTimeZone(db, account))
  const known = await listContactFields(db, account, facts?.fieldsVersion)
  const fields = describeFields(known, { textOrder, timeZone })
  const read = rows === null ? tablesOf(account) : visibleTables(account, fields, rows, { isBarred: !isOwnQuery })
  const scope = () => openScope(fields, { hasFullTextIndex, read })
  return { account, ...fields, isRestricted: rows !== null, events: read('events', 'contact_id'), scope }
}

/**
 * All contacts of an account as they would be read if a field had another type. Stages that do not compile over them
 * prevent the change.
 */
export async function openRetypedSource(
  db: Db,
  account: AccountId,
  { id, type }: Pick<ContactField, 'id' | 'type'>,
): Promise<ContactSource> {
  const reading = { textOrder: await selectTextOrder(db), timeZone: await accountTimeZone(db, account) }
  const known = await listContactFields(db, account)
  const fields = describeFields(
    known.map((field) => (field.id === id ? { ...field, type } : field)),
    reading,
  )
  const read = tablesOf(account)
  const scope = () => openScope(fields, { hasFullTextIndex: false, read })
  return { account, ...fields, isRestricted: false, events: read('events', 'contact_id'), scope }
}

type SourceOptions = {
  /** Stages that choose the contacts the caller may see; null for all contacts (ADR 0086). */
  rows: Stages | null
  hasFullTextIndex?: boolean
  /** No other user wrote a condition or expression of the query, so it may be computed for all contacts. */
  isOwnQuery?: boolean
  facts?: AccountFacts | null
}

/** SQL for the FROM clause: a table of the account, without an alias. `id` is its column with the id of the contact. */
type ReadTable = (table: string, id: 'id' | 'contact_id') => Sql

const tablesOf =
  (account: AccountId): ReadTable =>
  (table) =>
    accountTable(account, table)

/**
 * Subqueries that replace each table: only rows of contacts that `rows` let through. `isBarred`: the database computes
 * nothing of the query for any other row. Otherwise the planner may test the conditions of the query first, and an
 * error, such as for a number that is too large, would reveal values of contacts that the rule hides.
 * @throws row_rule_invalid
 */
function visibleTables(
  account: AccountId,
  fields: Fields,
  rows: Stages,
  { isBarred }: { isBarred: boolean },
): ReadTable {
  const all = tablesOf(account)
  const { resolve, from } = openScope(fields, { hasFullTextIndex: false, read: all })
  const { where } = compileRule(rows, resolve)
  const visible = sql`FROM ${from()} WHERE ${where ?? sql`TRUE`}`
  // The planner moves no condition into a query with an OFFSET.
  const bar = isBarred ? sql`OFFSET 0` : sql``
  return (table, id) =>
    table === 'contacts'
      ? sql`(SELECT contacts.* ${visible} ${bar})`
      : sql`(
        SELECT ruled.* FROM ${all(table, id)} AS ruled WHERE ruled.${sql.id(id)} IN (SELECT contacts.id ${visible}) ${bar})`
}

function compileRule(rows: Stages, resolve: FieldResolver) {
  try {
    return compilePipeline(rows, resolve)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_filter') throw error
    throw new AppError('row_rule_invalid', undefined, `${errors.row_rule_invalid.text} ${error.message}`)
  }
}

type Fields = Pick<ContactSource, 'reading' | 'imported' | 'internal' | 'fields'> & {
  find: (name: string) => ContactFilterField | undefined
}

/** Fields by catalog, since many searches use the same one. */
const described = new WeakMap<ContactField[], Fields>()

function describeFields(known: ContactField[], reading: Reading): Fields {
  const last = described.get(known)
  if (last?.reading.timeZone === reading.timeZone && last.reading.textOrder === reading.textOrder) return last
  const imported = known.map((field) => importedField(field, reading))
  const internal = internalFields(reading)
  const find = findByName([...internal, ...imported], ({ name }) => name)
  const made = { reading, imported, internal, fields: [...imported, ...internal], find }
  described.set(known, made)
  return made
}

type Scoping = { hasFullTextIndex: boolean; read: ReadTable }

function openScope(fields: Fields, { hasFullTextIndex, read }: Scoping): ContactScope {
  const needed = new Set<string>()
  const need = (table: string): void => {
    if (table !== 'contacts') needed.add(table)
  }
  const find = (name: string): ContactFilterField | undefined => {
    const field = fields.find(name)
    if (field) need(field.table)
    return field
  }
  return {
    resolve: Object.assign(find, {
      special: (name: string) => specialField(name, read, fields, { hasFullTextIndex, need }),
    }),
    from() {
      const joins = [...needed].map((table) => {
        const alias = sql.id(table)
        return sql`LEFT JOIN ${read(table, 'id')} AS ${alias} ON ${alias}.id = contacts.id`
      })
      return sql.join([sql`${read('contacts', 'id')} AS contacts`, ...joins], sql` `)
    },
  }
}

/** Conditions on contacts that are not about one of their fields. */
function specialField(
  name: string,
  read: ReadTable,
  { reading, imported }: Fields,
  { hasFullTextIndex, need }: { hasFullTextIndex: boolean; need: (table: string) => void },
): SpecialField | undefined {
  switch (name) {
    case 'events':
      return eventsField(read('events', 'contact_id'), sql`contacts.id`, reading)
    case 'location':
      need('contact_keys')
      return locationField(sql`contact_keys.latitude`, sql`contact_keys.longitude`)
    case '$text': {
      const texts = imported.filter(({ type }) => type === 'string')
      if (hasFullTextIndex) need('contact_words')
      else for (const { table } of texts) need(table)
      return textField(
        texts.map((field) => field.sql),
        hasFullTextIndex,
      )
    }
    default:
      return undefined
  }
}

function importedField({ name, type, table, column }: ContactField, reading: Reading): ContactFilterField {
  return { ...fieldOf(name, type, sql.id(table, column), reading.textOrder, reading.timeZone), table }
}

function internalFields({ textOrder }: Reading): ContactFilterField[] {
  const field = (
    name: (typeof internalFieldNames)[number],
    type: FieldType | 'id',
    table: 'contacts' | 'contact_keys',
    value: Sql,
    more?: Partial<FilterField>,
  ): ContactFilterField => ({ name, type, table, sql: value, ordered: value, ...more })
  // Indexes have the order of bytes, which is also the order of these lowercase letters and digits. A compared text can
  // have any letters.
  const inTextOrder = (value: Sql) => ({
    compare: (operator: Comparison, other: string) => sql`${value} ${textOrder} ${comparisons[operator]} ${other}`,
  })
  return [
    field('_id', 'id', 'contacts', sql`contacts.id`),
    field('purl', 'string', 'contact_keys', purl, {
      equals: purlEquals,
      ...inTextOrder(purl),
      orderBy: [basePurl, sql`contact_keys.purl_number`],
    }),
    field('basePurl', 'string', 'contact_keys', basePurl, inTextOrder(basePurl)),
    field('purlNumber', 'number', 'contact_keys', sql`contact_keys.purl_number`),
    field('Import', 'id', 'contacts', sql`contacts.import_id`, { equals: importEquals, compare: importCompare }),
  ]
}

const basePurl = sql`contact_keys.base_purl`

/** The first contact of a base has a PURL without a number, the n-th has one with its number. */
const purl = sql`
  contact_keys.base_purl || CASE WHEN contact_keys.purl_number > 1 THEN contact_keys.purl_number::text ELSE '' END`

/** Condition for `purl = value` by base and number, which are indexed. */
function purlEquals(value: string): Sql {
  const parts = purlParts(value)
  if (!parts) return sql`FALSE`
  if (parts.number === 1) {
    return sql`(contact_keys.base_purl = ${parts.base} AND (contact_keys.purl_number > 1) IS NOT TRUE)`
  }
  return sql`(contact_keys.base_purl = ${parts.base} AND contact_keys.purl_number = ${parts.number})`
}

/**
 * The lowest id that contacts of an import can have. Ids begin with the import's number (0001-contacts.sql), so the
 * primary key finds the contacts of one import, and those before or after it.
 */
function firstIdOf(importId: bigint): Sql {
  const first = importId << 33n
  return sql`${String(first < maxId ? first : maxId)}::bigint`
}

const maxId = 2n ** 63n - 1n

function importEquals(value: string): Sql {
  const importId = BigInt(value)
  return sql`(contacts.id >= ${firstIdOf(importId)} AND contacts.id < ${firstIdOf(importId + 1n)})`
}

function importCompare(operator: Comparison, value: string): Sql {
  // "After an import" starts with the next one; "until an import" ends before the next one.
  const bound = firstIdOf(BigInt(value) + (operator === '$gt' || operator === '$lte' ? 1n : 0n))
  return operator === '$gt' || operator === '$gte' ? sql`contacts.id >= ${bound}` : sql`contacts.id < ${bound}`
}
