import { type Field, type FieldValue, internalFields } from '@portico/contract/contacts'
import type { MembershipNode } from '@portico/contract/segments'
import { findByName } from '@portico/domain/names'
import { formatValue } from '#domain/charts'
import { formatCount, formatNumber } from '#lib/formats.ts'

type Leaf = Extract<MembershipNode, { kind: 'condition' }>

/** What a contact was compared by: 'City is “Boston”'; null where nothing was, as for words that may be in any field. */
export function seenText({ values, events }: Leaf, fields: readonly Field[]): string | null {
  if (events) return eventsText(events)
  const [value, second] = values
  if (!value) return null
  if (second) return placeText(value.value, second.value)
  const field = findByName([...fields, ...internalFields], ({ name }) => name)(value.field)
  if (value.value === null) return `${value.field} has no value`
  const text = formatValue(value.value, field?.type, field && 'format' in field ? field.format : undefined)
  return `${value.field} is ${field?.type === 'string' ? `“${text}”` : text}`
}

/** The place of a contact, which is the only condition that compares two values. */
const placeText = (latitude: FieldValue | null, longitude: FieldValue | null): string =>
  latitude === null || longitude === null ? 'It has no place' : `It is at ${latitude}, ${longitude}`

function eventsText({ all, meeting, latest }: NonNullable<Leaf['events']>): string {
  if (all === 0) return 'It has no events'
  if (meeting === 0) return `None of its ${formatCount(all, 'event')}`
  return `${formatNumber(meeting)} of its ${formatCount(all, 'event')}, last on ${formatValue(latest, 'date')}`
}
