import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { filterInText } from '../ids.ts'

/**
 * Stored settings of a module that name saved filters. The module exports it in its `Registration`: the screen of
 * segments then shows where each is used.
 */
export type FilterUses = {
  /**
   * A SELECT of the account's items that may name saved filters. Its columns: `kind` and `id` text, `name` text, `named`
   * uuid[], the ids of the saved filters, and `"usedAt"` timestamptz, when the item last used them; null if that is
   * unknown, or it does not run by itself. It must not read long texts of all items: record their names with
   * `namedFilters` when they are saved.
   */
  select: (account: AccountId) => RawBuilder<unknown>
}

/** The most saved filters recorded for one item. */
const mostNamed = 1000

/** Returns the ids of the saved filters that a stored text names, such as a pipeline or a dashboard. */
export function namedFilters(text: string): string[] {
  const named = new Set<string>()
  for (const [, id] of text.matchAll(filterInText)) {
    if (id !== undefined && named.size < mostNamed) named.add(id)
  }
  return [...named]
}

/** Returns SQL for the same ids, in an array, for a short text that is read when it is needed. */
export const namedInText = (text: RawBuilder<unknown>): RawBuilder<string[]> => sql<string[]>`
  ARRAY(SELECT DISTINCT (regexp_matches(${text}, ${sql.lit(filterInText.source)}, 'g'))[1]::uuid)`
