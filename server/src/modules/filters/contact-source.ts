import type { FieldType, internalFieldNames } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/accounts'
import { errors } from '@portico/contract/errors'
import type { Stages } from '@portico/contract/filter'
import { sql } from 'kysely'
import { findByName } from '@portico/contract/names'
import { type ContactField, contactsTable, listContactFields, purlParts } from '#contacts'
import { accountTimeZone } from '#accounts'
import { AppError } from '#platform/app-error.ts'
import { accountTable, type Db } from '#platform/database.ts'
import type { AccountFacts } from '#platform/http/context.ts'
import { eventsField, type Reading } from './filter-events.ts'
import {
  type Comparison,
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
  /** Fields that the portal itself keeps for each contact. */
  internal: ContactFilterField[]
  /** Both. */
  fields: ContactFilterField[]
  /** Whether its queries see only some of the contacts. */
  isRestricted: boolean
  /** Starts a new query, which joins only the tables that its fields need. */
  scope: () => ContactScope
}

type ContactScope = {
  /** Finds a field by its name, without regard to case, and adds its table to the query. */
  resolve: ((name: string) => ContactFilterField | undefined) & Required<Pick<FieldResolver, 'special'>>
  /** FROM's list: `contacts`, joined with the further tables of the fields resolved so far. */
  from: () => Sql
}

/**
 * Reads the field catalogue. `hasFullTextIndex`: the full-text index is up to date (see filter-text.ts); without it, `$text`
 * reads the contacts. `facts` saves queries for what the request already knows. Of the contacts, queries see those that
 * `rows` let through, whatever else they ask for; null is for all.
 * @throws row_rule_invalid where the account's fields do not fit `rows`
 */
export async function openContactSource(
  db: Db,
  account: AccountId,
  { rows, hasFullTextIndex = false, facts }: SourceOptions,
): Promise<ContactSource> {
  // One after the other: `db` may be a transaction, and all of it is usually cached.
  const textOrder = await selectTextOrder(db)
  const timeZone = facts?.timeZone ?? (await accountTimeZone(db, account))
  const known = await listContactFields(db, account, facts?.fieldsVersion)
  const fields = describeFields(known, { textOrder, timeZone })
  const visible = rows && visibleContacts(account, fields, rows)
  const isRestricted = visible !== null
  return { account, ...fields, isRestricted, scope: () => openScope(account, fields, { hasFullTextIndex, visible }) }
}

type SourceOptions = {
  /** Stages that choose the contacts which the caller may see; null for all (ADR 0086). */
  rows: Stages | null
  hasFullTextIndex?: boolean
  facts?: AccountFacts | null
}

/** The contacts that `rows` let through, in the place of the table. @throws row_rule_invalid */
function visibleContacts(account: AccountId, fields: Fields, rows: Stages): Sql {
  const { resolve, from } = openScope(account, fields, { hasFullTextIndex: false, visible: null })
  try {
    const { where } = compilePipeline(rows, resolve)
    return sql`(SELECT contacts.* FROM ${from()} WHERE ${where ?? sql`TRUE`}) AS contacts`
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_filter') throw error
    throw new AppError('row_rule_invalid', undefined, `${errors.row_rule_invalid.text} ${error.message}`)
  }
}

type Fields = Pick<ContactSource, 'reading' | 'imported' | 'internal' | 'fields'> & {
  find: (name: string) => ContactFilterField | undefined
}

/** Fields by catalogue, since many searches use the same catalogue. */
const described = new WeakMap<ContactField[], Fields>()

function describeFields(known: ContactField[], reading: Reading): Fields {
  const last = described.get(known)
  if (last?.reading.timeZone === reading.timeZone && last.reading.textOrder === reading.textOrder) return last
  const imported = known.map((field) => importedField(field, reading))
  const internal = internalFields()
  const find = findByName([...internal, ...imported], ({ name }) => name)
  const made = { reading, imported, internal, fields: [...imported, ...internal], find }
  described.set(known, made)
  return made
}

type Scoping = { hasFullTextIndex: boolean; /** Replaces the table of contacts. */ visible: Sql | null }

function openScope(account: AccountId, fields: Fields, { hasFullTextIndex, visible }: Scoping): ContactScope {
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
      special: (name: string) => specialField(name, account, fields, { hasFullTextIndex, need }),
    }),
    from() {
      const joins = [...needed].map((table) => {
        const alias = sql.id(table)
        return sql`LEFT JOIN ${accountTable(account, table)} AS ${alias} ON ${alias}.id = contacts.id`
      })
      return sql.join([visible ?? sql`${contactsTable(account)} AS contacts`, ...joins], sql` `)
    },
  }
}

/** Conditions on contacts that are not on one of their fields. */
function specialField(
  name: string,
  account: AccountId,
  { reading, imported }: Fields,
  { hasFullTextIndex, need }: { hasFullTextIndex: boolean; need: (table: string) => void },
): SpecialField | undefined {
  switch (name) {
    case 'events':
      return eventsField(account, sql`contacts.id`, reading)
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

function internalFields(): ContactFilterField[] {
  const field = (
    name: (typeof internalFieldNames)[number],
    type: FieldType | 'id',
    table: 'contacts' | 'contact_keys',
    value: Sql,
    more?: Partial<FilterField>,
  ): ContactFilterField => ({ name, type, table, sql: value, ordered: value, ...more })
  return [
    field('_id', 'id', 'contacts', sql`contacts.id`),
    field('purl', 'string', 'contact_keys', purl, {
      equals: purlEquals,
      orderBy: [sql`contact_keys.base_purl`, sql`contact_keys.purl_number`],
    }),
    field('basePurl', 'string', 'contact_keys', sql`contact_keys.base_purl`),
    field('purlNumber', 'number', 'contact_keys', sql`contact_keys.purl_number`),
    field('Import', 'id', 'contacts', sql`contacts.import_id`, { equals: importEquals, compare: importCompare }),
  ]
}

/** The first holder of a base has it without a number, the n-th with its number. */
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
 * The lowest id that contacts of an import can have. Ids begin with its number (0001-contacts.sql), so the primary key finds
 * the contacts of one import, and of those before or after it.
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
