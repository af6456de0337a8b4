import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { actsByOneOf, isHeldBy, type ListedOwner, type OwnedPart, ownedPart, type OwnedRow } from '#access'
import type { Db } from '#platform/database.ts'

/** The saved filters in these accounts that are used with the right of a person, by name. */
export async function selectOwnedFilters(
  db: Db,
  accounts: readonly AccountId[],
  owner: ListedOwner,
  part: OwnedPart,
): Promise<OwnedRow[]> {
  const { rows } = await sql<OwnedRow>`
    SELECT f.id, f.name, f.account_id AS account, f.version FROM portico.saved_filters f
    WHERE f.account_id = ANY (${accounts}::integer[]) AND f.holder IS NOT NULL
      AND ${isHeldBy('f.holder', 'f.creator', owner)} AND ${actsByOneOf('f.holder', owner.identities)}
    ${ownedPart('f.id', 'f.name_key, f.id', part)}`.execute(db)
  return rows
}
