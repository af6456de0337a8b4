import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { actsByOneOf, type ListedOwner, type OwnedPart, ownedPart, type OwnedRow } from '#access'
import type { Db } from '#platform/database.ts'

/** The dashboards of an author in these accounts, by name. */
export async function selectOwnedDashboards(
  db: Db,
  accounts: readonly AccountId[],
  { id, identities }: ListedOwner,
  part: OwnedPart,
): Promise<OwnedRow[]> {
  const { rows } = await sql<OwnedRow>`
    SELECT d.id, d.name, d.account_id AS account, d.version FROM portico.dashboards d
    JOIN portico.dashboard_versions v ON v.dashboard_id = d.id AND v.version = d.version
    WHERE d.account_id = ANY (${accounts}::integer[]) AND d.author_id = ${id} AND ${actsByOneOf('v.holder', identities)}
    ${ownedPart('d.id', 'd.name, d.id', part)}`.execute(db)
  return rows
}
