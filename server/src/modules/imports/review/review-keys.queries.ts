import type { AccountId } from '@portico/contract/accounts'
import { type ReviewedKeys, reviewedKeysShown } from '@portico/contract/import-review'
import { findByName } from '@portico/domain/names'
import { sql } from 'kysely'
import type { Db } from '#platform/database.ts'
import { stageTable } from '../loading/stage.queries.ts'
import { type MatchedFile, selectRowTexts } from './review-outcome.queries.ts'

type Counts = {
  blank: number
  repeated: number
  /** The first row of each frequent key, and the number of its rows. */
  frequent: { row: number; rows: number }[]
}

/** Counts the keys of a matched file. `fields`: those that its dedup columns feed. */
export async function countKeys(
  db: Db,
  account: AccountId,
  file: MatchedFile,
  fields: readonly string[],
): Promise<ReviewedKeys> {
  const matched = stageTable(account, file.id, 'matched')
  const { rows } = await sql<Counts>`
    WITH shared AS MATERIALIZED (
      SELECT min(row_no)::int AS row, count(*)::int AS rows FROM ${matched} WHERE is_shared GROUP BY hash)
    SELECT (SELECT count(*)::int FROM ${matched} WHERE hash IS NULL) AS blank,
      (SELECT coalesce(sum(rows - 1), 0)::int FROM shared) AS repeated,
      (SELECT coalesce(json_agg(f ORDER BY rows DESC, row), '[]') FROM (
        SELECT row, rows FROM shared ORDER BY rows DESC, row LIMIT ${reviewedKeysShown}) AS f) AS frequent`.execute(db)
  const { blank, repeated, frequent } = rows[0] ?? { blank: 0, repeated: 0, frequent: [] }
  const find = findByName(file.plan.columns, ({ field }) => field.name)
  const columns = fields.flatMap((name) => find(name) ?? [])
  const texts = await selectRowTexts(
    db,
    account,
    { ...file, plan: { ...file.plan, columns } },
    frequent.map(({ row }) => row),
  )
  return {
    fields: columns.map(({ field }) => field.name),
    blank,
    repeated,
    frequent: frequent.map((key, index) => ({ values: texts[index]?.values ?? [], rows: key.rows })),
  }
}
