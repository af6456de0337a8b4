import type { Field, Offer } from '@portico/contract/contacts'
import type { Definition } from '#ui/page/definition-list.tsx'
import { formatValue } from '#domain/charts'

/** Something that was recorded of a contact. */
export type Event = Record<string, unknown>

/** The account's fields in their order, then what the portal itself knows of the contact but for `without`. */
export function definitionsOf(offer: Offer, fields: readonly Field[], without: readonly string[] = []): Definition[] {
  const types = new Map(fields.map(({ name, type }) => [name, type]))
  const own = fields.map(({ name }) => name).filter((name) => name in offer)
  const internal = Object.keys(offer).filter((name) => !types.has(name) && name !== 'events' && !without.includes(name))
  return [...own, ...internal].map((name) => ({ term: name, value: formatValue(offer[name], types.get(name)) }))
}

export const hasDates = (offer: Offer, fields: readonly Field[]): boolean =>
  fields.some(({ name, type }) => type === 'date' && typeof offer[name] === 'string')

/** The contract leaves a contact's fields open; events, where they come, are a list of records. */
export function eventsOf(offer: Offer): Event[] | null {
  const { events } = offer
  return Array.isArray(events) ? (events as Event[]) : null
}

/** Details of an event beyond the columns of its table: its other fields, and custom ones. */
export function eventDetails(event: Event, without: readonly string[]): Definition[] {
  const { details, ...own } = event
  const more = typeof details === 'object' && details !== null ? Object.entries(details) : []
  return [...Object.entries(own), ...more]
    .filter(([name, value]) => !without.includes(name) && value !== null && value !== undefined && value !== '')
    .map(([name, value], index) => ({ key: `${name} ${index}`, term: name, value: formatValue(value) }))
}
