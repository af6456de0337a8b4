import type { ColumnReading } from '@portico/contract/imports'
import { sql } from 'kysely'
import { type CatalogueRow, columnType, type RetypeRow, startOfDay } from '#contacts'
import { type KeptField, keptType, type ReturnedColumn } from '#deletes'

/** A field whose type was changed: its values are restored by reading their texts. Without a reading they are lost. */
type ConvertedField = { field: CatalogueRow; kept: KeptField; reading: ColumnReading | null }

/** How to restore the kept values of fields. Values of fields deleted for good are not restored. */
export type ReturnedFields = {
  /** By part. */
  columns: Map<number, ReturnedColumn[]>
  /** Numbers of columns whose written texts are restored; `days`: those whose days are now moments. */
  written: { columns: number[]; days: number[] }
  converted: ConvertedField[]
}

/**
 * Plans how to restore values into the present fields, including hidden ones, which can be restored too. Imports widen
 * a column in place; people move a field to another column.
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
    const ofPart = fields.columns.get(before.part) ?? []
    ofPart.push(returned)
    fields.columns.set(before.part, ofPart)
    fields.written.columns.push(before.column)
    if (isMoment) fields.written.days.push(before.column)
  }
  return fields
}

/** The reading of the last change of the field's type, if it produces the present type. A text accepts all values. */
function readingOf({ type, id, column_no: number }: CatalogueRow, last: RetypeRow | undefined): ColumnReading | null {
  if (type === 'string') return { type }
  const isLast = last?.status === 'completed' && last.column_no === (number ?? id) && last.reading.type === type
  return isLast ? last.reading : null
}
