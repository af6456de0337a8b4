import type { Offer } from '@portico/contract/contacts'
import { formatCount, formatNumber } from '#lib/formats.ts'

/** The import that brought a contact, and which of its rows that were loaded it was, counted from 1; null if not known. */
export type Origin = { importId: string; row: number | null }

/** Ids are handed out by import and row: the row is in the lower bits, as many as any file has rows. */
const rowBits = 33n

export function originOf({ _id: id, Import: importId }: Offer): Origin | null {
  if (typeof importId !== 'string' && typeof importId !== 'number') return null
  const isNumbered = /^\d+$/.test(id) && /^\d+$/.test(String(importId))
  // Whatever made the id otherwise than an import does is not taken for a row.
  const isOfImport = isNumbered && BigInt(id) >> rowBits === BigInt(importId)
  const row = isOfImport ? Number(BigInt.asUintN(Number(rowBits), BigInt(id))) + 1 : null
  return { importId: String(importId), row }
}

/**
 * The row as people can look it up. Rows that were set aside have no number, so it is that of the file only where there
 * were none; `setAside` is undefined for who may not see the import.
 */
export function describeRow({ row }: Origin, setAside: number | undefined): string {
  if (row === null) return 'Not known'
  if (setAside === 0) return formatNumber(row)
  const loaded = `${formatNumber(row)} of those loaded`
  return setAside === undefined ? loaded : `${loaded}; ${formatCount(setAside, 'row')} set aside`
}
