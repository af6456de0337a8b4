import type { AccountEntry, AccountId } from '@portico/contract/accounts'
import type { OwnInvitation } from '@portico/contract/own-identities'
import { recordAudit } from '#audit'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { type Self, withAccessLockOn } from '../administrator.ts'
import { type PlaceRow, selectInvitations, selectPlaces } from '../identities/places.queries.ts'
import { deletePending, updateAccepted } from './invitations.queries.ts'

/** The invitations that a person has neither accepted nor declined, oldest first. */
export async function listInvitations(db: Db, personId: string): Promise<OwnInvitation[]> {
  const rows = await selectInvitations(db, personId)
  return rows.map((row) => ({ _id: row.id, account: accountOf(row), invitedBy: row.invitedBy }))
}

/**
 * The accepted and enabled identities of a person, the global one first, then by account; `entry` is null for all
 * accounts.
 */
export async function ownIdentitiesOf(
  db: Db,
  personId: string,
): Promise<{ id: string; account: AccountId | null; entry: AccountEntry | null }[]> {
  const rows = await selectPlaces(db, personId)
  return rows.map((row) => ({ id: row.id, account: row.account, entry: accountOf(row) }))
}

/** Accepts an invitation: the identity counts from the next request on. @throws not_found */
export async function acceptInvitation(db: Db, asking: Self, id: string, by: Actor): Promise<void> {
  await withAccessLockOn(db, asking, invitationOf(id), async (tx, { personId }, { account }) => {
    await updateAccepted(tx, personId, id, new Date())
    await recordAudit(tx, { ...by, account, action: 'invitation accepted', subject: by.actor })
  })
}

/** Declines an invitation, which deletes the identity. @throws not_found */
export async function declineInvitation(db: Db, asking: Self, id: string, by: Actor): Promise<void> {
  await withAccessLockOn(db, asking, invitationOf(id), async (tx, { personId }, { account }) => {
    await deletePending(tx, personId, id)
    await recordAudit(tx, { ...by, account, action: 'invitation declined', subject: by.actor })
  })
}

const invitationOf =
  (id: string) =>
  async (db: Db, { personId }: Self): Promise<PlaceRow> => {
    const invitation = (await selectInvitations(db, personId)).find((row) => row.id === id)
    if (!invitation) throw new AppError('not_found')
    return invitation
  }

function accountOf({ account, name, parent }: PlaceRow): AccountEntry | null {
  if (account === null || name === null) return null
  return { Key: account, Value: name, ...(parent !== null && { parent }) }
}
