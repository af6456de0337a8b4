import type { AccountId } from '@portico/contract/accounts'
import type { SegmentUse } from '@portico/contract/segments'
import { sql } from 'kysely'
import type { Db } from '#platform/database.ts'
import type { FilterUses } from '#platform/rows/filter-uses.ts'

/** Items of one kind that name a segment, and when one of them last used it; null if that is unknown. */
export type CountedUses = { segment: string; kind: SegmentUse['kind']; items: number; usedAt: Date | null }

/** Counts the items of a module that name one of these segments. */
export async function countUses(
  db: Db,
  account: AccountId,
  { select }: FilterUses,
  ids: readonly string[],
): Promise<CountedUses[]> {
  const { rows } = await sql<CountedUses>`
    SELECT named.id AS segment, item.kind, count(*)::integer AS items, max(item."usedAt") AS "usedAt"
    FROM (${select(account)}) AS item CROSS JOIN LATERAL unnest(item.named) AS named (id)
    WHERE named.id = ANY (${sql.val([...ids])}::uuid[]) GROUP BY named.id, item.kind`.execute(db)
  return rows
}

/** An item that names a segment. */
export type NamingItem = Omit<SegmentUse, 'name'> & { name: string; usedAt: Date | null }

/** Selects the items of a module that name a segment, the one that used it last first. */
export async function selectUses(
  db: Db,
  account: AccountId,
  { select }: FilterUses,
  id: string,
): Promise<NamingItem[]> {
  const { rows } = await sql<NamingItem>`
    SELECT item.kind, item.id, item.name, item."usedAt" FROM (${select(account)}) AS item
    WHERE ${id}::uuid = ANY (item.named) ORDER BY item."usedAt" DESC NULLS LAST, item.name, item.id`.execute(db)
  return rows
}
