import type { FieldType } from '@portico/contract/contacts'
import type { PreviewColumn, PreviewedReading } from '@portico/contract/import-preview'
import type { ColumnReading, ColumnTypes } from '@portico/contract/imports'

export const typeNames: Record<FieldType, string> = {
  string: 'text',
  number: 'number',
  boolean: 'true or false',
  date: 'date and time',
  day: 'date',
}

type Field = { type: FieldType } | null
export type ReadingOptions = { typeCasting: boolean; types: ColumnTypes }

/**
 * How a column's cells are read into a field, null for a new one: as chosen, or else by the reading that fits all cells
 * if the default does not. Null for the default, and for texts.
 */
export function readingOf(column: PreviewColumn, field: Field, { typeCasting, types }: ReadingOptions) {
  const chosen = types[column.name]
  if (chosen && (field === null || field.type === chosen.type)) return chosen
  if (field === null) return typeCasting ? column.suggestedReading : null
  if (field.type === 'string' || column.misfits[field.type].cells === 0) return null
  return readingsOf(column, field.type).find(({ misfits }) => misfits.cells === 0)?.reading ?? null
}

/** The readings of a type that fit a cell of the sample. */
export const readingsOf = (column: PreviewColumn, type: FieldType): PreviewedReading[] =>
  column.readings.filter(({ reading }) => reading.type === type)

/** The sample under a reading; undefined if it reads no cell, or reads all unchanged. */
export const previewedReading = (column: PreviewColumn, reading: ColumnReading): PreviewedReading | undefined =>
  column.readings.find((one) => readingKey(one.reading) === readingKey(reading))

/** The reading of a type with the fewest unread cells. */
export function bestReading(column: PreviewColumn, type: FieldType): ColumnReading {
  const [first, ...others] = readingsOf(column, type)
  if (!first) return { type }
  return others.reduce((best, one) => (one.misfits.cells < best.misfits.cells ? one : best), first).reading
}

/** Identifies a reading among those of its type. */
export function readingKey(reading: ColumnReading): string {
  if (reading.type === 'number') return `number ${reading.decimal ?? 'point'}`
  if (reading.type === 'day' || reading.type === 'date') return `${reading.type} ${reading.order ?? 'month-first'}`
  return reading.type
}

/** User-readable names of readings, for types with two. */
export const readingTexts: Record<string, string> = {
  'number point': 'Decimal point: 1,250.75',
  'number comma': 'Decimal comma: 1.250,75',
  'day month-first': '3/4/2024 is March 4',
  'day day-first': '3/4/2024 is April 3',
  'date month-first': '3/4/2024 is March 4',
  'date day-first': '3/4/2024 is April 3',
}

/** Whether an import reads the column this way by default. */
export const isUsualReading = (column: PreviewColumn, reading: ColumnReading): boolean =>
  reading.type === column.type && !/comma|day-first/.test(readingKey(reading))
