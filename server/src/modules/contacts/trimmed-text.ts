import { whiteSpace } from '@portico/domain/white-space'
import { type RawBuilder, sql } from 'kysely'

/** SQL for a text without white space at either end, by the same rule as `withoutOuterSpace`. Immutable. */
export const trimmedText = (text: RawBuilder<unknown>): RawBuilder<string> =>
  sql<string>`btrim(${text}, ${sql.lit(whiteSpace)})`
