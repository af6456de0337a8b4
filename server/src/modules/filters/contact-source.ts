import type { FieldType, internalFieldNames } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/identity'
import { type RawBuilder, sql } from 'kysely'
import { type ContactField, foldName, listContactFields } from '#contacts'
import { accountTable, type Db } from '#platform/database.ts'
import type { FilterField, Sql } from './filter-field.ts'
import { selectTextOrder } from './text-order.queries.ts'

/** A field of contacts, and the table of the account that holds it. */
export type ContactFilterField = FilterField & { table: string }

/** The contacts of an account as queries read them. */
export type ContactSource = {
  /** Every imported field, in the order they came. */
  imported: ContactFilterField[]
  /** What the portal itself knows of a contact. */
  internal: ContactFilterField[]
  /** Starts a query of its own, which joins no more tables than its fields need. */
  scope: () => ContactScope
}

export type ContactScope = {
  /** Finds a field by its name, without regard to case, and remembers that its table is needed. */
  resolve: (name: string) => ContactFilterField | undefined
  /** FROM's list: `contacts`, joined with the further tables of the fields resolved so far. */
  from: () => Sql
}

/** Reads the field catalogue. */
export async function openContactSource(db: Db, account: AccountId): Promise<ContactSource> {
  const textOrder = await selectTextOrder(db)
  const imported = (await listContactFields(db, account)).map((field) => importedField(field, textOrder))
  const internal = internalFields()
  const byName = new Map([...internal, ...imported].map((field) => [foldName(field.name), field]))
  return { imported, internal, scope: () => openScope(account, byName) }
}

function openScope(account: AccountId, byName: Map<string, ContactFilterField>): ContactScope {
  const needed = new Set<string>()
  return {
    resolve(name) {
      const field = byName.get(foldName(name))
      if (field && field.table !== 'contacts') needed.add(field.table)
      return field
    },
    from() {
      const joins = [...needed].map((table) => {
        const alias = sql.id(table)
        return sql`LEFT JOIN ${accountTable(account, table)} AS ${alias} ON ${alias}.id = contacts.id`
      })
      return sql.join([sql`${accountTable(account, 'contacts')} AS contacts`, ...joins], sql` `)
    },
  }
}

function importedField(
  { name, type, table, column }: ContactField,
  textOrder: RawBuilder<unknown>,
): ContactFilterField {
  const value = sql.id(table, column)
  return { name, type, table, sql: value, ordered: type === 'string' ? sql`${value} ${textOrder}` : value }
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
    field('Import', 'id', 'contacts', sql`contacts.import_id`),
  ]
}

/** The first holder of a base has it bare, the n-th with its number. */
const purl = sql`
  contact_keys.base_purl || CASE WHEN contact_keys.purl_number > 1 THEN contact_keys.purl_number::text ELSE '' END`

/** Says `purl = value` by base and number, which are indexed. A base never ends with a digit (ADR 0008). */
function purlEquals(value: string): Sql {
  const [, base = value, digits] = /^(.*?)(\d+)$/s.exec(value) ?? []
  if (digits === undefined) {
    return sql`(contact_keys.base_purl = ${value} AND (contact_keys.purl_number > 1) IS NOT TRUE)`
  }
  const number = Number(digits)
  if (number < 2 || number > maxInteger || digits.startsWith('0')) return sql`FALSE`
  return sql`(contact_keys.base_purl = ${base} AND contact_keys.purl_number = ${number})`
}

const maxInteger = 2_147_483_647
