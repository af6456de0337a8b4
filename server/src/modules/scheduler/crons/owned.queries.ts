import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { actsByOneOf, isHeldBy, type ListedOwner, type OwnedPart, ownedPart, type OwnedRow } from '#access'
import type { Db } from '#platform/database.ts'

/** The crons in these accounts that act by the right of a person and were not terminated, by name. */
export async function selectOwnedCrons(
  db: Db,
  accounts: readonly AccountId[],
  owner: ListedOwner,
  part: OwnedPart,
): Promise<OwnedRow[]> {
  const { rows } = await sql<OwnedRow>`
    SELECT c.id, c.name, c.account_id AS account, c.version FROM portico.crons c
    WHERE c.account_id = ANY (${accounts}::integer[]) AND c.terminated_at IS NULL
      AND ${isHeldBy('c.holder', 'c.author', owner)} AND ${actsByOneOf('c.holder', owner.identities)}
    ${ownedPart('c.id', 'c.name_key, c.id', part)}`.execute(db)
  return rows
}
