import { type Field, type FieldValue, internalFields } from '@portico/contract/contacts'
import type { MembershipNode } from '@portico/contract/segments'
import { findByName } from '@portico/domain/names'
import { formatValue } from '#domain/charts'
import { formatCount, formatNumber } from '#lib/formats.ts'

type Leaf = Extract<MembershipNode, { kind: 'condition' }>

/** The value that a condition was compared with: 'Its City is Boston'; null for words, which may be in any field. */
export function seenText({ values, events }: Leaf, fields: readonly Field[]): string | null {
  if (events) return eventsText(events)
  const [value, second] = values
  if (!value) return null
  if (second) return placeText(value.value, second.value)
  if (value.value === null) return `Its ${value.field} has no value`
  const field = findByName<Pick<Field, 'name' | 'type' | 'format'>>(
    [...fields, ...internalFields],
    ({ name }) => name,
  )(value.field)
  return `Its ${value.field} is ${formatValue(value.value, field?.type, field?.format)}`
}

/** The place of a contact, which is the only condition that compares two values. */
const placeText = (latitude: FieldValue | null, longitude: FieldValue | null): string =>
  latitude === null || longitude === null ? 'It has no place' : `It is at ${latitude}, ${longitude}`

function eventsText({ all, meeting, latest }: NonNullable<Leaf['events']>): string {
  if (all === 0) return 'It has no events'
  if (meeting === 0) return all === 1 ? 'Not its only event' : `None of its ${formatCount(all, 'event')}`
  if (all === 1) return `Its only event, on ${formatValue(latest, 'date')}`
  return `${formatNumber(meeting)} of its ${formatCount(all, 'event')}, last on ${formatValue(latest, 'date')}`
}
