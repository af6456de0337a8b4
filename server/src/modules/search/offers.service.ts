import type { Offer } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/identity'
import { sql } from 'kysely'
import type { ContactFilterField, ContactSource, FilterField } from '#filters'
import { invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { type IdQuery, selectContactValues } from './search.queries.ts'
import { readSelection } from './selection.ts'

/** The fields that a `select` names, or all there are. @throws invalid_input naming a field that is not there */
export function selectedFields(source: ContactSource, select?: string): ContactFilterField[] {
  if (select === undefined || select.trim() === '') return source.fields
  const { resolve } = source.scope()
  return readSelection(select).map((name) => {
    const field = resolve(name)
    if (!field) throw invalidField('select', `There is no field "${name}".`)
    return field
  })
}

// PostgreSQL gives at most 1,664 columns at once, and an account may have more fields.
const fieldsAtOnce = 1500

/** Contacts in the order of `ids`; one that was deleted meanwhile is left out. */
export async function readOffers(
  db: Db,
  account: AccountId,
  fields: ContactFilterField[],
  ids: string[],
): Promise<Offer[]> {
  return ids.length === 0 ? [] : readOffersOf(db, account, fields, idList(ids))
}

/** The same with the query that gives the ids: one statement for all but very wide accounts. */
export async function readOffersOf(
  db: Db,
  account: AccountId,
  fields: ContactFilterField[],
  ids: IdQuery,
): Promise<Offer[]> {
  const first = fields.length > fieldsAtOnce ? fields.slice(0, fieldsAtOnce) : fields
  const rows = await selectContactValues(db, account, ids, first)
  const offers = new Map(rows.map(({ id, values }) => [id, withValues({ _id: id }, fields, values)]))
  for (let at = fieldsAtOnce; at < fields.length && rows.length > 0; at += fieldsAtOnce) {
    const more = fields.slice(at, at + fieldsAtOnce)
    for (const { id, values } of await selectContactValues(db, account, idList([...offers.keys()]), more)) {
      const offer = offers.get(id)
      if (offer) withValues(offer, more, values)
    }
  }
  return [...offers.values()]
}

function idList(ids: string[]): IdQuery {
  return { sql: sql`SELECT id FROM unnest(${sql.val(ids)}::bigint[]) AS ids (id)`, isById: false }
}

/** The same contact with the values of more fields; what is missing is left out. */
function withValues(offer: Offer, fields: ContactFilterField[], values: unknown[]): Offer {
  values.forEach((value, at) => {
    const field = fields[at]
    if (field && value !== null) offer[field.name] = toWire(field, value)
  })
  return offer
}

/** A value as clients get it: ids as text, dates as ISO 8601 in UTC. */
export function toWire(field: FilterField, value: unknown): unknown {
  // PostgreSQL gives bigint as text already, and smaller numbers as numbers.
  if (field.type === 'id' && typeof value === 'number') return String(value)
  return value instanceof Date ? value.toISOString() : value
}
