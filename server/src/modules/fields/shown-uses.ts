import type { FieldUse } from '@portico/contract/fields'
import type { Caller } from '#platform/http/context.ts'

/** Whether a caller is an administrator. */
export type Rank = Pick<Caller, 'isPowerUser' | 'isPowerAdmin'>

/** The name of something that names a field. Some people do not see it, so names are for administrators; null for others. */
export const shownName = ({ isPowerUser, isPowerAdmin }: Rank, name: string): string | null =>
  isPowerUser || isPowerAdmin ? name : null

const oneOf: Record<FieldUse['kind'], string> = {
  filter: 'A saved filter',
  dashboard: 'A dashboard',
  cron: 'A cron',
  'remote access': 'A remote access',
  index: 'An index',
  import: 'An import',
  'import defaults': 'A setting of the import defaults',
  'row rule': 'A row rule',
  policy: 'A policy',
}

/** The subject of a sentence about things that name a field: by their names, or by their kind alone where these are not shown. */
export function usesInWords(kind: FieldUse['kind'], names: readonly (string | null)[]): string {
  const shown = names.filter((name) => name !== null)
  return shown.length === 0 ? oneOf[kind] : `The ${kind} ${shown.map((name) => `"${name}"`).join(', ')}`
}
