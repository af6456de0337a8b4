import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import type { ActsAs } from '#credentials'
import { accountTable, type Db } from '#platform/database.ts'

/** A delivery whose file may be sent again, with the size of the right that it is judged by in bytes. */
type NamingDelivery = { id: string; bytes: number }

const right = sql`file #> '{maker,actsAs}'`

/** Selects the deliveries of files that have not expired and whose rights match the pattern, in any letter case. */
export async function selectNamingDeliveries(db: Db, account: AccountId, pattern: string): Promise<NamingDelivery[]> {
  // OFFSET keeps the text from being written twice for each delivery.
  const { rows } = await sql<NamingDelivery>`
    SELECT d.id, octet_length(written.text) AS bytes FROM ${accountTable(account, 'deliveries')} AS d
    CROSS JOIN LATERAL (SELECT (${right})::text AS text OFFSET 0) AS written
    WHERE (d.file ->> 'expiresAt')::timestamptz > ${new Date()} AND written.text ~* ${pattern} ORDER BY d.id`.execute(
    db,
  )
  return rows
}

export async function selectRights(
  db: Db,
  account: AccountId,
  deliveries: readonly NamingDelivery[],
): Promise<{ id: string; actsAs: ActsAs }[]> {
  const { rows } = await sql<{ id: string; actsAs: ActsAs }>`
    SELECT id, ${right} AS "actsAs" FROM ${accountTable(account, 'deliveries')}
    WHERE id = ANY(${sql.val(deliveries.map(({ id }) => id))}::uuid[]) ORDER BY id`.execute(db)
  return rows
}

export async function updateRight(db: Db, account: AccountId, id: string, actsAs: ActsAs): Promise<void> {
  await sql`UPDATE ${accountTable(account, 'deliveries')}
    SET file = jsonb_set(file, '{maker,actsAs}', ${JSON.stringify(actsAs)}::jsonb) WHERE id = ${id}`.execute(db)
}
