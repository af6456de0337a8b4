import type { ApiCredential } from '@portico/contract/identities'
import type { AccountId } from '@portico/contract/accounts'
import type { Db } from '#platform/database.ts'
import { type CredentialRow, selectCredentials, selectCredentialsOfAll } from './credentials.queries.ts'

/** Returns the API credentials of the account's identities by identity id, without secrets. */
export async function listCredentials(
  db: Db,
  account: AccountId,
  which: { withGlobal: boolean; identity?: string },
): Promise<Map<string, ApiCredential[]>> {
  const byIdentity = Map.groupBy(await selectCredentials(db, account, which), ({ identity }) => identity)
  return new Map([...byIdentity].map(([identity, rows]) => [identity, rows.map(toCredential)]))
}

/** The API credentials of these identities by identity id, without secrets. */
export async function listCredentialsOf(db: Db, identities: readonly string[]): Promise<Map<string, ApiCredential[]>> {
  const byIdentity = Map.groupBy(await selectCredentialsOfAll(db, identities), ({ identity }) => identity)
  return new Map([...byIdentity].map(([identity, rows]) => [identity, rows.map(toCredential)]))
}

/** A credential in the form in which the API shows it. */
export function toCredential(row: CredentialRow): ApiCredential {
  return {
    _id: `${row.identity}-${row.number}`,
    name: row.name,
    accessKey: row.accessKey,
    isActive: row.isActive,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    createdBy: row.createdBy,
    isBlocked: row.blockedBy !== null,
  }
}
