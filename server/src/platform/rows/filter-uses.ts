import type { AccountId } from '@portico/contract/accounts'
import type { SegmentUse } from '@portico/contract/segments'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { uuidInText } from '../ids.ts'

/**
 * Stored settings of a module that name saved filters. The module exports it in its `Registration`: the screen of
 * segments then shows where each is used.
 */
export type FilterUses = { find: (db: Db, account: AccountId) => Promise<NamingItem[]> }

/** A stored item that may name saved filters. */
export type NamingItem = {
  kind: SegmentUse['kind']
  id: string
  name: string
  /** The ids in its settings, those of saved filters among them. */
  named: string[]
  /** When it last used them; null if that is unknown, or it does not run by itself. */
  usedAt: Date | null
}

/** Returns SQL for the ids in a stored text, such as a pipeline or a dashboard, in an array. */
export const namedIds = (text: RawBuilder<unknown>): RawBuilder<string[]> => sql<string[]>`
  ARRAY(SELECT DISTINCT (regexp_matches(${text}, ${sql.lit(uuidInText)}, 'g'))[1])`
