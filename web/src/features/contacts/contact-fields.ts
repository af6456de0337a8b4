import type { Field, Offer } from '@portico/contract/contacts'
import { internalFields } from '@portico/domain/field-types'
import type { Definition } from '#ui/page/definition-list.tsx'
import { formatValue } from '#domain/charts'
import type { Event } from '#domain/results'

/** The account's fields in their order, then the contact's generated values, except those in `without`. */
export function definitionsOf(offer: Offer, fields: readonly Field[], without: readonly string[] = []): Definition[] {
  const known = new Map<string, Pick<Field, 'format' | 'type'>>(
    [...internalFields, ...fields].map((field) => [field.name, field]),
  )
  const isImported = new Set(fields.map(({ name }) => name))
  const own = fields.map(({ name }) => name).filter((name) => name in offer)
  const internal = Object.keys(offer).filter(
    (name) => !isImported.has(name) && name !== 'events' && !without.includes(name),
  )
  return [...own, ...internal].map((name) => ({
    term: name,
    value: formatValue(offer[name], known.get(name)?.type, known.get(name)?.format),
  }))
}

export const hasDates = (offer: Offer, fields: readonly Field[]): boolean =>
  fields.some(({ name, type }) => type === 'date' && typeof offer[name] === 'string')

/** The contract leaves a contact's fields open; events, if present, are a list of records. */
export function eventsOf(offer: Offer): Event[] | null {
  const { events } = offer
  return Array.isArray(events) ? (events as Event[]) : null
}
