import type { AccountId } from '@portico/contract/identity'
import { sql } from 'kysely'
import type { Db } from '#platform/database.ts'

// Each names the identity and the account it is of, null for a global one.

export async function insertCredential(
  db: Db,
  account: AccountId | null,
  identity: string,
  credential: { number: number; accessKey: string; secretHash: string; createdAt: Date; isActive: boolean },
): Promise<void> {
  const { number, accessKey, secretHash, createdAt, isActive } = credential
  await sql`
    INSERT INTO portico.api_credentials (identity_id, number, access_key, secret_hash, is_active, created_at)
    SELECT id, ${number}::integer, ${accessKey}, ${secretHash}, ${isActive}::boolean, ${createdAt}::timestamptz
    FROM portico.identities WHERE id = ${identity} AND account_id IS NOT DISTINCT FROM ${account}::integer`.execute(db)
}

/** Answers whether there is such a credential. */
export async function updateCredentialActive(
  db: Db,
  account: AccountId | null,
  identity: string,
  { number, isActive }: { number: number; isActive: boolean },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE portico.api_credentials c SET is_active = ${isActive} FROM portico.identities i
    WHERE c.identity_id = i.id AND i.id = ${identity} AND i.account_id IS NOT DISTINCT FROM ${account}::integer
      AND c.number = ${number}`.execute(db)
  return numAffectedRows === 1n
}

/** Answers whether there was such a credential. */
export async function deleteCredential(
  db: Db,
  account: AccountId | null,
  identity: string,
  number: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    DELETE FROM portico.api_credentials c USING portico.identities i
    WHERE c.identity_id = i.id AND i.id = ${identity} AND i.account_id IS NOT DISTINCT FROM ${account}::integer
      AND c.number = ${number}`.execute(db)
  return numAffectedRows === 1n
}

export async function deleteCredentials(db: Db, account: AccountId | null, identity: string): Promise<void> {
  await sql`
    DELETE FROM portico.api_credentials c USING portico.identities i
    WHERE c.identity_id = i.id AND i.id = ${identity} AND i.account_id IS NOT DISTINCT FROM ${account}::integer`.execute(
    db,
  )
}
