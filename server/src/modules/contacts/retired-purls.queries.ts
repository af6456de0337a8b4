import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'

/**
 * Remembers the PURLs of contacts that are about to lose them, so no other contact ever gets one of them. Bases are
 * written in a fixed order, which keeps two transactions from deadlocking.
 * @param condition chooses rows of the contact keys, under the alias `t`
 */
export async function retirePurls(db: Db, account: AccountId, condition: RawBuilder<unknown>): Promise<void> {
  const retired = accountTable(account, 'retired_purls')
  await sql`
    INSERT INTO ${retired} AS known (purl_scope, base_hash, last_number)
    SELECT t.purl_scope, ${baseHash(sql`t.base_purl`)}, max(t.purl_number) FROM ${accountTable(account, 'contact_keys')} AS t
    WHERE ${condition} AND t.base_purl IS NOT NULL AND t.purl_scope IS NOT NULL AND t.purl_number IS NOT NULL
    GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (purl_scope, base_hash) DO UPDATE SET last_number = greatest(known.last_number, excluded.last_number)`.execute(
    db,
  )
}

/** SQL that finds the highest retired number of a base: a join, and the number, 0 if there is none. */
export type RetiredNumbers = { join: RawBuilder<unknown>; last: RawBuilder<unknown> }

/**
 * The retired numbers of a scope, for a statement with the base `base`. If there are none, as in nearly all imports,
 * the statement computes no hashes.
 */
export async function retiredNumbers(
  db: Db,
  account: AccountId,
  scope: number,
  base: RawBuilder<unknown>,
): Promise<RetiredNumbers> {
  const retired = accountTable(account, 'retired_purls')
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (SELECT FROM ${retired} WHERE purl_scope = ${scope}::int) AS found`.execute(db)
  if (!rows[0]?.found) return { join: sql``, last: sql`0` }
  return {
    join: sql`LEFT JOIN ${retired} AS retired
      ON retired.purl_scope = ${scope}::int AND retired.base_hash = ${baseHash(base)}`,
    last: sql`coalesce(retired.last_number, 0)`,
  }
}

const baseHash = (base: RawBuilder<unknown>) => sql`md5(${base})::uuid`
