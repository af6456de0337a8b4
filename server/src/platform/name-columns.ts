import { foldName, isSameName } from '@portico/domain/names'

/** Returns the name columns of a new row. */
export function nameColumns(name: string): { name: string; name_key: string } {
  return { name, name_key: foldName(name) }
}

/**
 * Returns the columns of a changed name. An equal name keeps its key, which differs from the usual one if another row
 * from an earlier release had the name first (ADR 0082).
 */
export function changedNameColumns(name: string, before: string): { name: string; name_key?: string } {
  return isSameName(name, before) ? { name } : nameColumns(name)
}
