import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { identitiesAs, identityOf } from '#access'
import { control, type Db } from '#platform/database.ts'
import type { Tables } from './tables.ts'

export type CredentialRow = {
  identity: string
  number: number
  name: string
  accessKey: string
  isActive: boolean
  createdAt: Date
  lastUsedAt: Date | null
  expiresAt: Date | null
  /** The creator as in the audit log; null if unknown. */
  createdBy: string | null
  /** The administrator who switched the credential off, unless it is their own; null otherwise. */
  blockedBy: string | null
}

const columns = sql`c.identity_id AS identity, c.number, c.name, c.access_key AS "accessKey", c.is_active AS "isActive",
  c.created_at AS "createdAt", c.last_used_at AS "lastUsedAt", c.expires_at AS "expiresAt", c.created_by AS "createdBy",
  c.blocked_by AS "blockedBy"`

/**
 * The credentials of the account's identities, with global ones on request; of one identity when `identity` is given.
 */
export async function selectCredentials(
  db: Db,
  account: AccountId,
  { withGlobal, identity = null }: { withGlobal: boolean; identity?: string | null },
): Promise<CredentialRow[]> {
  const { rows } = await sql<CredentialRow>`
    SELECT ${columns}
    FROM portico.api_credentials c JOIN ${sql.raw(identitiesAs('i'))} ON i.id = c.identity_id
    WHERE (i.account_id = ${account} OR (${withGlobal} AND i.account_id IS NULL))
      AND (${identity}::uuid IS NULL OR i.id = ${identity}::uuid)
    ORDER BY c.number`.execute(db)
  return rows
}

// `account` in the statements below is the identity's account, null for a global one.

/** The credentials of one identity. */
export async function selectCredentialsOf(
  db: Db,
  account: AccountId | null,
  identity: string,
): Promise<CredentialRow[]> {
  const { rows } = await sql<CredentialRow>`
    SELECT ${columns} FROM portico.api_credentials c
    WHERE c.identity_id IN ${identityOf(account, identity)} ORDER BY c.number`.execute(db)
  return rows
}

/** The credentials of these identities, of any account. */
export async function selectCredentialsOfAll(db: Db, identities: readonly string[]): Promise<CredentialRow[]> {
  const { rows } = await sql<CredentialRow>`
    SELECT ${columns} FROM portico.api_credentials c
    WHERE c.identity_id = ANY (${identities}::uuid[]) ORDER BY c.number`.execute(db)
  return rows
}

export async function insertCredential(
  db: Db,
  account: AccountId | null,
  identity: string,
  credential: Omit<CredentialRow, 'identity' | 'lastUsedAt' | 'blockedBy'> & { secretHash: string },
): Promise<void> {
  const { number, name, accessKey, secretHash, createdAt, expiresAt, isActive, createdBy } = credential
  await sql`
    INSERT INTO portico.api_credentials (identity_id, number, name, access_key, secret_hash, is_active, created_at, expires_at, created_by)
    SELECT i.id, ${number}::integer, ${name}, ${accessKey}, ${secretHash}, ${isActive}::boolean,
      ${createdAt}::timestamptz, ${expiresAt}::timestamptz, ${createdBy}
    FROM ${identityOf(account, identity)} AS i`.execute(db)
}

/** Returns whether the credential exists. With `blockedBy`, an active one is also blocked. */
export async function updateCredentialActive(
  db: Db,
  account: AccountId | null,
  identity: string,
  { number, isActive, blockedBy }: { number: number; isActive: boolean; blockedBy: string | null },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE portico.api_credentials SET is_active = ${isActive},
      blocked_by = CASE WHEN ${isActive} THEN NULL WHEN is_active THEN ${blockedBy} ELSE blocked_by END
    WHERE identity_id IN ${identityOf(account, identity)} AND number = ${number}`.execute(db)
  return numAffectedRows === 1n
}

/** Returns whether there was such a credential. */
export async function deleteCredential(
  db: Db,
  account: AccountId | null,
  identity: string,
  number: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    DELETE FROM portico.api_credentials
    WHERE identity_id IN ${identityOf(account, identity)} AND number = ${number}`.execute(db)
  return numAffectedRows === 1n
}

export async function deleteCredentials(db: Db, account: AccountId | null, identity: string): Promise<void> {
  await sql`
    DELETE FROM portico.api_credentials WHERE identity_id IN ${identityOf(account, identity)}`.execute(db)
}

/** Records that a credential was used at `at`, unless it was used since `before`. */
export async function updateCredentialUsed(
  db: Db,
  { identityId, number }: { identityId: string; number: number },
  { at, before }: { at: Date; before: Date },
): Promise<void> {
  await control<Tables>(db)
    .updateTable('api_credentials')
    .set({ last_used_at: at })
    .where('identity_id', '=', identityId)
    .where('number', '=', number)
    .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', before)]))
    .execute()
}
