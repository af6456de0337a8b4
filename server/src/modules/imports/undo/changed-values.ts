import type { AccountId } from '@portico/contract/accounts'
import type { FieldType } from '@portico/contract/contacts'
import { type RawBuilder, sql } from 'kysely'
import { accountTimeZone } from '#accounts'
import { type CatalogueRow, columnType, selectCatalogue, toContactField } from '#contacts'
import type { Db } from '#platform/database.ts'
import type { ImportPlan } from '../import-plan.ts'
import { mark, readText, readWidened, widenedMark } from './change-texts.ts'
import { placeOf, purlText } from './record-changes.queries.ts'

/** A value that an import may have changed, with the SQL that compares and returns it. */
export type ChangedValue = {
  /** Name of the field, as it is by now; `purl` for that. Null for coordinates, which follow their fields. */
  name: string | null
  /** Place in the records, from 1. */
  place: number
  column: string
  /** The text to recognize the value of a contact by. */
  present: (contact: RawBuilder<unknown>) => RawBuilder<unknown>
  /** The same of the value that the import wrote. */
  written: (after: RawBuilder<unknown>) => RawBuilder<unknown>
  /** The value before. */
  earlier: (before: RawBuilder<unknown>) => RawBuilder<unknown>
}

/** Values by the table that holds them; that of keys comes last. */
export type ChangedTables = { table: string; values: ChangedValue[] }[]

/**
 * The values that an import may have changed. Those of fields that were deleted for good are gone; a hidden one gets its values
 * back, as it can be restored.
 */
export async function changedTables(db: Db, account: AccountId, plan: ImportPlan): Promise<ChangedTables> {
  const catalogue = new Map((await selectCatalogue(db, account)).map((field) => [field.id, field]))
  const timeZone = await accountTimeZone(db, account)
  const byTable = new Map<string, ChangedValue[]>([['contacts', []]])
  for (const [at, { field: planned }] of plan.columns.entries()) {
    const field = catalogue.get(planned.id)
    if (!field) continue
    const { table, column } = toContactField(field)
    const values = byTable.get(table) ?? []
    byTable.set(table, values)
    const place = placeOf.firstColumn + at
    if (column !== planned.column) {
      values.push(retypedValue(field, { place, column }))
      continue
    }
    const widened = { stored: planned.type, type: field.type, timeZone }
    values.push({
      name: field.name,
      place,
      column,
      present: (contact) => mark(sql`${contact}.${sql.id(column)}`, field.type),
      written: (after) => widenedMark(after, widened),
      earlier: (before) => readWidened(before, widened),
    })
  }
  const ofFields = [...byTable].map(([table, values]) => ({ table, values }))
  return [...ofFields, { table: 'contact_keys', values: keyValues }]
}

/** A value that people have moved to another type since, so that it is no longer what the import wrote: it stays. */
const retypedValue = ({ name, type }: CatalogueRow, at: Pick<ChangedValue, 'column' | 'place'>): ChangedValue => ({
  ...at,
  name,
  present: () => sql`NULL::text`,
  written: (after) => after,
  earlier: () => sql`NULL::${columnType(type)}`,
})

const coordinate = (column: 'latitude' | 'longitude'): ChangedValue => ({
  name: null,
  place: placeOf[column],
  column,
  present: (keys) => mark(sql`${keys}.${sql.id(column)}`, 'number' satisfies FieldType),
  written: (after) => after,
  earlier: (before) => readText(before, 'number'),
})

const keyValues: ChangedValue[] = [
  coordinate('latitude'),
  coordinate('longitude'),
  {
    name: 'purl',
    place: placeOf.purl,
    column: 'base_purl',
    present: purlText,
    written: (after) => after,
    // Taken apart where it is returned.
    earlier: (before) => before,
  },
]
