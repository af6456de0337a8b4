import { type FieldFormat, plainFormat } from './field-format.ts'

// Separate from the schemas of contacts, which screens without checks do not load.

/**
 * A field has one type (product rule: imports widen it, people change it, and no text is lost). A `date` is a moment,
 * on the wire `2026-01-31T09:30:00.000Z`; a `day` is a date of the calendar without a time, `2026-01-31`, the same in
 * every time zone (ADR 0065).
 */
export const fieldTypes = ['string', 'number', 'boolean', 'date', 'day'] as const
export type FieldType = (typeof fieldTypes)[number]

/** Returns whether values of the type have a year, a month and so on: moments and days. */
export const isDateType = (type: FieldType | null | undefined): type is 'date' | 'day' =>
  type === 'date' || type === 'day'

/** Fields that the portal itself keeps for each contact. It maintains their indexes; users cannot add any. */
export const internalFields: readonly { name: string; type: FieldType; isIndexed: boolean; format?: FieldFormat }[] = [
  { name: '_id', type: 'string', isIndexed: true },
  { name: 'purl', type: 'string', isIndexed: true },
  { name: 'basePurl', type: 'string', isIndexed: true },
  { name: 'purlNumber', type: 'number', isIndexed: true },
  { name: 'Import', type: 'number', isIndexed: true, format: plainFormat },
]
