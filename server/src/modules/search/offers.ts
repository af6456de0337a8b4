import type { Offer } from '@portico/contract/contacts'
import type { ContactFilterField, FilterField } from '#filters'
import type { ContactRow } from './contact-rows.queries.ts'

/** Builds contacts for clients from rows with their id and the values of `fields`. */
export function toOffers(fields: ContactFilterField[], rows: ContactRow[]): Offer[] {
  const empty = emptyOffer(fields)
  return rows.map((row) => withValues({ ...empty, _id: row[0] }, fields, row))
}

const emptyOffers = new WeakMap<ContactFilterField[], Offer>()

/**
 * A contact without values, which JSON leaves out. Filling and writing copies of it is twice as fast as adding the names
 * one by one: V8 keeps objects with more than a dozen added names as hash tables.
 */
function emptyOffer(fields: ContactFilterField[]): Offer {
  const known = emptyOffers.get(fields)
  if (known) return known
  const empty: Offer = { _id: '' }
  for (const { name } of fields) empty[name] = undefined
  emptyOffers.set(fields, empty)
  return empty
}

function withValues(offer: Offer, fields: ContactFilterField[], row: ContactRow): Offer {
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at]
    const value = row[at + 1]
    if (field && value !== null && value !== undefined) offer[field.name] = toWire(field, value)
  }
  return offer
}

/** A value on the wire: ids as text, moments as ISO 8601 in UTC; days are text already. */
export function toWire(field: FilterField, value: unknown): unknown {
  // PostgreSQL returns bigint as text already, and smaller numbers as numbers.
  if (field.type === 'id' && typeof value === 'number') return String(value)
  return value instanceof Date ? value.toISOString() : value
}
