import type { ColumnReading } from '@portico/contract/imports'
import type { ContactText } from '#contacts'
import { readerOf } from '#imports'

/** The value of a text, as PostgreSQL reads it; null for none, and for a text that does not fit the type. */
export type ReadText = (text: Pick<ContactText, 'text' | 'day'>) => string | null

/** Reads texts as the preview of an import does. A moment has its day in the account's time zone. */
export function textReader(reading: ColumnReading, timeZone: string): ReadText {
  if (reading.type === 'string') return ({ text }) => text
  const read = readerOf(reading, timeZone)
  return ({ text, day }) => {
    if (text === null) return null
    const value = read(text)
    if (value !== null) return value === '' ? null : value
    return reading.type === 'day' ? day : null
  }
}

/** The readings that a type has, in the order in which they are suggested. */
export function readingsOf(type: ColumnReading['type']): ColumnReading[] {
  switch (type) {
    case 'string':
    case 'boolean':
      return [{ type }]
    case 'number':
      return [
        { type, decimal: 'point' },
        { type, decimal: 'comma' },
      ]
    case 'day':
    case 'date':
      return [
        { type, order: 'month-first' },
        { type, order: 'day-first' },
      ]
  }
}
