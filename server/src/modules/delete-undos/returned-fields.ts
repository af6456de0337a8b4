import type { ColumnReading } from '@portico/contract/imports'
import { sql } from 'kysely'
import { type CatalogueRow, columnType, type RetypeRow, startOfDay } from '#contacts'
import { type KeptField, keptType, type ReturnedColumn } from '#deletes'

/** A field whose values return through their texts, as its type was changed; without a reading they cannot. */
type ConvertedField = { field: CatalogueRow; kept: KeptField; reading: ColumnReading | null }

/** How values of fields return that were kept. Those of fields that were deleted for good do not. */
export type ReturnedFields = {
  /** By their part. */
  columns: Map<number, ReturnedColumn[]>
  /** Numbers of columns whose written texts return; `days`: those of them whose days have become moments. */
  written: { columns: number[]; days: number[] }
  converted: ConvertedField[]
}

/**
 * Plans how values return into the fields as they are by now, also into hidden ones, as these can be restored. Imports widen a
 * column in place; people move a field to another column.
 */
export function returnedFields(
  kept: readonly KeptField[],
  catalogue: readonly CatalogueRow[],
  retypes: ReadonlyMap<number, RetypeRow>,
  timeZone: string,
): ReturnedFields {
  const current = new Map(catalogue.map((field) => [field.id, field]))
  const fields: ReturnedFields = { columns: new Map(), written: { columns: [], days: [] }, converted: [] }
  for (const before of kept) {
    const field = current.get(before.id)
    if (!field) continue
    const isInPlace = (field.column_no ?? field.id) === before.column
    const isSame = isInPlace && field.type === before.type
    const isMoment = isInPlace && field.type === 'date' && before.type === 'day'
    if (!isSame && !isMoment) {
      fields.converted.push({ field, kept: before, reading: readingOf(field, retypes.get(field.id)) })
      continue
    }
    const column = `c${before.column}`
    const value = sql.id('x', column)
    const moment = sql`${startOfDay(value, sql`${timeZone}`)}::${columnType('date')}`
    const returned = { column, type: keptType[before.type], ...(isMoment && { value: moment }) }
    fields.columns.set(before.part, [...(fields.columns.get(before.part) ?? []), returned])
    fields.written.columns.push(before.column)
    if (isMoment) fields.written.days.push(before.column)
  }
  return fields
}

/** The reading of the last change of the type, if it gives the type that the field has by now. A text takes all values. */
function readingOf({ type, id, column_no: number }: CatalogueRow, last: RetypeRow | undefined): ColumnReading | null {
  if (type === 'string') return { type }
  const isLast = last?.status === 'completed' && last.column_no === (number ?? id) && last.reading.type === type
  return isLast ? last.reading : null
}
