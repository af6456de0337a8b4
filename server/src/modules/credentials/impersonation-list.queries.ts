import type { AccountId } from '@portico/contract/identity'
import { sql } from 'kysely'
import type { Db } from '#platform/database.ts'

export type ImpersonationRow = {
  id: string
  email: string
  address: string
  policies: string[] | null
  createdAt: Date
  expiresAt: Date
  lastUsedAt: Date | null
}

/** The links of the account that still work, newest first. */
export async function selectImpersonations(db: Db, account: AccountId, now: Date): Promise<ImpersonationRow[]> {
  const { rows } = await sql<ImpersonationRow>`
    SELECT i.id, p.email, i.address, i.policies, i.created_at AS "createdAt", i.expires_at AS "expiresAt",
      i.last_used_at AS "lastUsedAt"
    FROM portico.impersonations i JOIN portico.persons p ON p.id = i.person_id
    WHERE i.account_id = ${account} AND i.revoked_at IS NULL AND i.expires_at > ${now}
    ORDER BY i.created_at DESC, i.id`.execute(db)
  return rows
}
