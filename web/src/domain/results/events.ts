import { formatValue } from '#domain/charts'
import type { Definition } from '#ui/page/definition-list.tsx'

/** A recorded event of a contact. */
export type Event = Record<string, unknown>

/** Details of an event beyond the columns of its table: its other fields, and custom ones. */
export function eventDetails(event: Event, without: readonly string[]): Definition[] {
  const { details, ...own } = event
  const more = typeof details === 'object' && details !== null ? Object.entries(details) : []
  return [...Object.entries(own), ...more]
    .filter(([name, value]) => !without.includes(name) && value !== null && value !== undefined && value !== '')
    .map(([name, value], index) => ({ key: `${name} ${index}`, term: name, value: formatValue(value) }))
}
