import { findByName, foldName } from '@portico/domain/names'
import type { ContactField } from '#contacts'

/** How the contact with given values is found, with an index for each part. */
export type LookupUnits = {
  /** Names in the order of the authentication columns, folded. */
  names: string[]
  /** Groups of fields of one table, in the order of their ids, each found by a lookup index. */
  indexed: ContactField[][]
  hasId: boolean
  hasPurl: boolean
}

/** Null if a name is neither a field nor an internal field that can be looked up. */
export function lookupUnits(fields: readonly ContactField[], columns: readonly string[]): LookupUnits | null {
  const find = findByName(fields, ({ name }) => name)
  const names = columns.map(foldName)
  const imported = columns.flatMap((name) => find(name) ?? [])
  const units = { names, hasId: names.includes('_id'), hasPurl: names.includes('purl') }
  const found = imported.length + Number(units.hasId) + Number(units.hasPurl)
  if (found !== names.length || new Set(names).size !== names.length) return null
  const tables = [...new Set(imported.map(({ table }) => table))]
  const indexed = tables.map((table) =>
    imported.filter((field) => field.table === table).toSorted((one, other) => one.id - other.id),
  )
  return { ...units, indexed }
}
