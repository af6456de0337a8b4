import type { AccountId } from '@portico/contract/accounts'
import type { FieldType } from '@portico/contract/contacts'
import { type RawBuilder, sql } from 'kysely'
import { accountTimeZone } from '#accounts'
import { type CatalogueRow, columnType, selectCatalogue, toContactField } from '#contacts'
import type { Db } from '#platform/database.ts'
import type { ImportPlan } from '../import-plan.ts'
import { mark, readText, readWidened, widenedMark } from './change-texts.ts'
import { placeOf, purlText } from './record-changes.queries.ts'

/** A value that an import may have changed, with the SQL that compares and restores it. */
export type ChangedValue = {
  /** Present name of the field; `purl` for the PURL. Null for coordinates, which follow their fields. */
  name: string | null
  /** Position in the records, from 1. */
  place: number
  column: string
  /** The text that identifies the contact's present value. */
  present: (contact: RawBuilder<unknown>) => RawBuilder<unknown>
  /** The text that identifies the value written by the import. */
  written: (after: RawBuilder<unknown>) => RawBuilder<unknown>
  /** The earlier value. */
  earlier: (before: RawBuilder<unknown>) => RawBuilder<unknown>
}

/** Values by the table that holds them; the table of keys comes last. */
export type ChangedTables = { table: string; values: ChangedValue[] }[]

/**
 * Returns the values that an import may have changed. Values of fields deleted for good are lost; those of a hidden
 * field are restored, since the field can be restored too.
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

/**
 * A value whose field people have since changed to another type: it is no longer the one the import wrote, and is kept.
 */
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
    // Split into its parts when it is restored.
    earlier: (before) => before,
  },
]
