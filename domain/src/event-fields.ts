import { foldText, tidyName } from './names.ts'
import { composed } from './unicode.ts'

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

/**
 * The name of a custom event field as it is kept: composed, and without white space around it (ADR 0110). Letter case counts:
 * `Price` and `price` are two fields (ADR 0082).
 */
export const eventFieldName = (name: string): string => tidyName(name)

/**
 * The custom event field that a filter or an export names. Undefined for a name with white space around it, which conditions of
 * policies judge as another one than it looks like; they find composed letters in any form.
 */
export function readEventFieldName(name: string): string | undefined {
  const kept = eventFieldName(name)
  return composed(name) === kept ? kept : undefined
}

// Joiners, and selectors of the look of a letter, are part of how some languages and emoji are written.
const invisible = /(?![\u034F\u200C\u200D\p{Variation_Selector}])[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

/** Whether a name has a character that no one sees, so that it looks like another name. */
export const hasInvisibleCharacters = (name: string): boolean => invisible.test(name)
