import type { FieldEntry, FieldUse, RetypedUse } from '@portico/contract/fields'
import type { ColumnReading } from '@portico/contract/imports'
import { type FieldFormat, usualCurrency } from '@portico/domain/field-format'
import type { FieldType } from '@portico/domain/field-types'

export const typeLabels: Record<FieldType, string> = {
  string: 'Text',
  number: 'Number',
  boolean: 'Yes/No',
  date: 'Date and time',
  day: 'Date',
}

const shortStyles: Record<FieldFormat['style'], string> = {
  plain: 'plain',
  decimal: 'with separators',
  percent: 'percent',
  currency: 'currency',
}

/** The format of a field in words; empty for fields without numbers. */
export function formatText({ type, format }: Pick<FieldEntry, 'format' | 'type'>): string {
  if (type !== 'number') return ''
  const { style, decimals, currency } = format ?? { style: 'decimal', decimals: null, currency: null }
  const unit = style === 'currency' ? ` (${currency ?? usualCurrency})` : ''
  const digits = decimals === null ? '' : `, ${decimals} ${decimals === 1 ? 'decimal' : 'decimals'}`
  return `${shortStyles[style]}${unit}${digits}`
}

const kindLabels: Record<FieldUse['kind'], [one: string, many: string]> = {
  filter: ['Saved filter', 'Saved filters'],
  dashboard: ['Dashboard', 'Dashboards'],
  cron: ['Cron', 'Crons'],
  'remote access': ['Remote access', 'Remote accesses'],
  index: ['Index', 'Indexes'],
  import: ['PURL or dedup columns of imports', 'PURL or dedup columns of imports'],
  'import defaults': ['Import defaults', 'Import defaults'],
  'row rule': ['Row rule of a user', 'Row rules of users'],
  policy: ['Policy', 'Policies'],
}

/**
 * Whether a use keeps working without the field and says that it is missing. The server refuses to delete a field with
 * other uses.
 */
export const saysMissing = ({ kind }: FieldUse): boolean => kind === 'filter' || kind === 'dashboard' || kind === 'cron'

/** The uses of a field, by kind: their names where the server gives them, else their number. */
export function usesByKind(uses: readonly FieldUse[]): { term: string; value: string }[] {
  return [...Map.groupBy(uses, ({ kind }) => kind)].map(([kind, ofKind]) => {
    const [one, many] = kindLabels[kind]
    const names = ofKind.flatMap(({ name }) => name ?? [])
    return {
      term: ofKind.length === 1 ? one : many,
      value: names.length > 0 ? names.join(', ') : String(ofKind.length),
    }
  })
}

/** The uses that would no longer work with another type, in words. */
export const usesWithProblem = (uses: readonly RetypedUse[]): string[] =>
  uses.flatMap(({ kind, name, problem }) =>
    problem === null ? [] : [`${kindLabels[kind][0]}${name === null ? '' : ` ${name}`}: ${problem}`],
  )

/** Identifies a reading among those of its type. */
export function readingKey(reading: ColumnReading): string {
  if (reading.type === 'number') return `number ${reading.decimal ?? 'point'}`
  if (reading.type === 'day' || reading.type === 'date') return `days ${reading.order ?? 'month-first'}`
  return reading.type
}

const readingTexts: Record<string, string> = {
  'number point': 'Decimal point: 1,250.75',
  'number comma': 'Decimal comma: 1.250,75',
  'days month-first': '3/4/2024 is March 4',
  'days day-first': '3/4/2024 is April 3',
}

/** A user-readable name for a reading of a type that has two. */
export const readingText = (reading: ColumnReading): string => readingTexts[readingKey(reading)] ?? ''

/** The progress of a change of type, or why it failed. */
export function typeChangeText({ type, status, progress, reason }: NonNullable<FieldEntry['typeChange']>): string {
  if (status === 'rejected') return `Change to ${typeLabels[type]} failed: ${reason ?? ''}`
  return `Changing to ${typeLabels[type]}: ${Math.floor(progress * 100)}%`
}
