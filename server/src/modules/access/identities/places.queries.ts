import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountsAs } from '#accounts'
import type { Db } from '#platform/database.ts'
import { isAccepted } from './identity-sql.ts'

/** An identity of a person. */
export type PlaceRow = {
  /** The identity's id. */
  id: string
  /** Null, as are `name` and `parent`, for an identity in all accounts. */
  account: AccountId | null
  name: string | null
  parent: AccountId | null
  /** The name that the account gave the person. */
  userName: string | null
  /** The inviter in words; null for the operator. */
  invitedBy: string | null
}

const columns = sql`i.id, i.account_id AS account, a.name, a.parent_id AS parent, i.user_name AS "userName",
  i.invited_by AS "invitedBy"`

/** The identities of a person that are accepted and enabled, by account name. */
export async function selectPlaces(db: Db, personId: string): Promise<PlaceRow[]> {
  const { rows } = await sql<PlaceRow>`
    SELECT ${columns} FROM portico.identities i LEFT JOIN ${sql.raw(accountsAs('a'))} ON a.id = i.account_id
    WHERE i.person_id = ${personId} AND NOT i.is_disabled AND ${sql.raw(isAccepted('i'))}
    ORDER BY a.name_key NULLS FIRST, i.id`.execute(db)
  return rows
}

/**
 * An identity of the person, whether accepted and enabled or not; null if it does not exist or belongs to another
 * person.
 */
export async function selectPlace(db: Db, personId: string, id: string): Promise<PlaceRow | null> {
  const { rows } = await sql<PlaceRow>`
    SELECT ${columns} FROM portico.identities i LEFT JOIN ${sql.raw(accountsAs('a'))} ON a.id = i.account_id
    WHERE i.id = ${id} AND i.person_id = ${personId}`.execute(db)
  return rows[0] ?? null
}

/** The identities that a person has neither accepted nor declined, and that are enabled, oldest first. */
export async function selectInvitations(db: Db, personId: string): Promise<PlaceRow[]> {
  const { rows } = await sql<PlaceRow>`
    SELECT ${columns} FROM portico.identities i LEFT JOIN ${sql.raw(accountsAs('a'))} ON a.id = i.account_id
    WHERE i.person_id = ${personId} AND NOT i.is_disabled AND NOT ${sql.raw(isAccepted('i'))}
    ORDER BY i.created_at, i.id`.execute(db)
  return rows
}
