import type { Offer } from '@portico/contract/contacts'

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
