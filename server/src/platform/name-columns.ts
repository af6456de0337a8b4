import { foldName, isSameName } from '@portico/domain/names'

/** The columns of a new row's name. */
export function nameColumns(name: string): { name: string; name_key: string } {
  return { name, name_key: foldName(name) }
}

/**
 * The columns of a changed name. An equal name keeps its key, which differs from the name's where another row of an earlier
 * release had the name first (ADR 0082).
 */
export function changedNameColumns(name: string, before: string): { name: string; name_key?: string } {
  return isSameName(name, before) ? { name } : nameColumns(name)
}
