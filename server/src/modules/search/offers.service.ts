import type { Offer } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/identity'
import { sql } from 'kysely'
import type { ContactFilterField, ContactSource, FilterField } from '#filters'
import { invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { selectContactValues, type WantedContacts } from './search.queries.ts'
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

/** The same with the query that finds them: one statement for all but very wide accounts. */
export async function readOffersOf(
  db: Db,
  account: AccountId,
  fields: ContactFilterField[],
  wanted: WantedContacts,
): Promise<Offer[]> {
  const first = fields.length > fieldsAtOnce ? fields.slice(0, fieldsAtOnce) : fields
  const rows = await selectContactValues(db, account, wanted, first)
  const empty = emptyOffer(fields)
  const offers = rows.map((row) => withValues({ ...empty, _id: row[0] }, first, row))
  const byId = fields.length > fieldsAtOnce && offers.length > 0 && new Map(offers.map((offer) => [offer._id, offer]))
  for (let at = fieldsAtOnce; byId && at < fields.length; at += fieldsAtOnce) {
    const more = fields.slice(at, at + fieldsAtOnce)
    for (const row of await selectContactValues(db, account, idList([...byId.keys()]), more)) {
      const offer = byId.get(row[0])
      if (offer) withValues(offer, more, row)
    }
  }
  return offers
}

function idList(ids: string[]): WantedContacts {
  return { ids: sql`SELECT id FROM unnest(${sql.val(ids)}::bigint[]) AS ids (id)` }
}

const emptyOffers = new WeakMap<ContactFilterField[], Offer>()

/**
 * A contact without values, which JSON leaves out. Copies of it are filled and written twice as fast as objects that get
 * their names one by one: from a dozen on, V8 keeps those as hash tables.
 */
function emptyOffer(fields: ContactFilterField[]): Offer {
  const known = emptyOffers.get(fields)
  if (known) return known
  const empty: Offer = { _id: '' }
  for (const { name } of fields) empty[name] = undefined
  emptyOffers.set(fields, empty)
  return empty
}

/** The same contact with the values of more fields, which follow its id in `row`; what is missing is left out. */
function withValues(offer: Offer, fields: ContactFilterField[], row: [id: string, ...values: unknown[]]): Offer {
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at]
    const value = row[at + 1]
    if (field && value !== null) offer[field.name] = toWire(field, value)
  }
  return offer
}

/** A value as clients get it: ids as text, dates as ISO 8601 in UTC. */
export function toWire(field: FilterField, value: unknown): unknown {
  // PostgreSQL gives bigint as text already, and smaller numbers as numbers.
  if (field.type === 'id' && typeof value === 'number') return String(value)
  return value instanceof Date ? value.toISOString() : value
}
