import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { personsAs } from '#persons'
import { control, type Db } from '#platform/database.ts'
import type { Tables } from './tables.ts'

export type NewImpersonation = {
  id: string
  personId: string
  sessionId: string
  /** The only address that may use it. */
  address: string
  /** Chosen names of policies and features; null means all. */
  policies: string[] | null
  /** Ids of the policies among the chosen names; null means all. */
  policyIds: string[] | null
  at: Date
  expiresAt: Date
}

export async function insertImpersonation(db: Db, account: AccountId, impersonation: NewImpersonation): Promise<void> {
  const { id, personId, sessionId, address, policies, policyIds, at, expiresAt } = impersonation
  await control<Tables>(db)
    .insertInto('impersonations')
    .values({
      id,
      person_id: personId,
      account_id: account,
      session_id: sessionId,
      address,
      policies,
      policy_ids: policyIds,
      created_at: at,
      expires_at: expiresAt,
      revoked_at: null,
      last_used_at: null,
    })
    .execute()
}

/** The number of active links of the account. */
export async function countImpersonations(db: Db, account: AccountId, now: Date): Promise<number> {
  const { count } = await control<Tables>(db)
    .selectFrom('impersonations')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('account_id', '=', account)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return count
}

/** The update that revokes links which are active at that time; its callers say whose. */
const revokingActive = (db: Db, at: Date) =>
  control<Tables>(db)
    .updateTable('impersonations')
    .set({ revoked_at: at })
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)

/** Returns the id of the creator; null if there was no active link. */
export async function updateImpersonationRevoked(
  db: Db,
  account: AccountId,
  id: string,
  at: Date,
): Promise<string | null> {
  const row = await revokingActive(db, at)
    .where('account_id', '=', account)
    .where('id', '=', id)
    .returning('person_id')
    .executeTakeFirst()
  return row?.person_id ?? null
}

/** Revokes the active links that a person created in the account, or (null) in any account. Returns their number. */
export async function updatePersonImpersonationsRevoked(
  db: Db,
  account: AccountId | null,
  personId: string,
  at: Date,
): Promise<number> {
  const update = revokingActive(db, at).where('person_id', '=', personId)
  const updated = await (account === null ? update : update.where('account_id', '=', account)).executeTakeFirst()
  return Number(updated.numUpdatedRows)
}

/** Revokes the active links that a person created in these sessions, in any account. Returns their number. */
export async function updateSessionImpersonationsRevoked(
  db: Db,
  personId: string,
  sessions: readonly string[],
  at: Date,
): Promise<number> {
  if (sessions.length === 0) return 0
  const update = revokingActive(db, at).where('person_id', '=', personId).where('session_id', 'in', sessions)
  return Number((await update.executeTakeFirst()).numUpdatedRows)
}

/** Revokes all active links. Returns their number. */
export async function updateAllImpersonationsRevoked(db: Db, at: Date): Promise<number> {
  return Number((await revokingActive(db, at).executeTakeFirst()).numUpdatedRows)
}

/** Records that a link was used at `at`, unless it was used since `before`. */
export async function updateImpersonationUsed(
  db: Db,
  account: AccountId,
  id: string,
  { at, before }: { at: Date; before: Date },
): Promise<void> {
  await control<Tables>(db)
    .updateTable('impersonations')
    .set({ last_used_at: at })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', before)]))
    .execute()
}

export type ImpersonationRow = {
  id: string
  email: string
  address: string
  policies: string[] | null
  createdAt: Date
  expiresAt: Date
  lastUsedAt: Date | null
}

/** The active links of the account, newest first. */
export async function selectImpersonations(db: Db, account: AccountId, now: Date): Promise<ImpersonationRow[]> {
  const { rows } = await sql<ImpersonationRow>`
    SELECT i.id, p.email, i.address, i.policies, i.created_at AS "createdAt", i.expires_at AS "expiresAt",
      i.last_used_at AS "lastUsedAt"
    FROM portico.impersonations i JOIN ${sql.raw(personsAs('p'))} ON p.id = i.person_id
    WHERE i.account_id = ${account} AND i.revoked_at IS NULL AND i.expires_at > ${now}
    ORDER BY i.created_at DESC, i.id`.execute(db)
  return rows
}

/** The active links that a person created in any account, newest first. */
export async function selectLinksOfPerson(
  db: Db,
  personId: string,
  now: Date,
): Promise<(ImpersonationRow & { account: AccountId })[]> {
  const { rows } = await sql<ImpersonationRow & { account: AccountId }>`
    SELECT i.id, i.account_id AS account, p.email, i.address, i.policies, i.created_at AS "createdAt",
      i.expires_at AS "expiresAt", i.last_used_at AS "lastUsedAt"
    FROM portico.impersonations i JOIN ${sql.raw(personsAs('p'))} ON p.id = i.person_id
    WHERE i.person_id = ${personId} AND i.revoked_at IS NULL AND i.expires_at > ${now}
    ORDER BY i.created_at DESC, i.id`.execute(db)
  return rows
}
