import { foldText } from './names.ts'

/** Fields that every event has, by type. Any other name refers to its details. */
export const eventFields = {
  event_code: 'string',
  event_date: 'date',
  app_code: 'string',
  event_path: 'string',
  event_element: 'string',
  browser: 'string',
  os: 'string',
  ip: 'string',
  pdid: 'string',
  is_trigger: 'boolean',
} as const

type EventField = keyof typeof eventFields

/** Returns the field of every event that a name refers to; undefined for the name of a detail. */
export function findEventField(name: string): EventField | undefined {
  const folded = foldText(name)
  return Object.hasOwn(eventFields, folded) ? (folded as EventField) : undefined
}
