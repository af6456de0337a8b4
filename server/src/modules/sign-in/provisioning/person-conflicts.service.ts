import { readEmailAddress } from '@portico/contract/email-address'
import { recordForPerson, selectInvitations, selectPlaces } from '#access'
import { revokeLinksOf } from '#credentials'
import { changeEmail, selectConflicts } from '#persons'
import type { Actor } from '#platform/actor.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { deletePersonLinks } from '../person-links/person-links.queries.ts'
import { updateSessionsRevoked } from '../sessions/sessions.queries.ts'
import { deleteSecondSteps } from '../two-factor/second-steps.queries.ts'

/** A person who cannot be found by their address, and why, for the operator. */
export type PersonConflict = {
  _id: string
  email: string
  /** The address that mail would go to; null if it is refused. */
  mailGoesTo: string | null
  reason: string
  /** Names of the accounts in which they have or are offered an identity. */
  accounts: string[]
  lastSignInAt: string | null
}

/** The persons whose address is shared with others or refused: none of them can sign in or be invited by it. */
export async function listPersonConflicts(db: Db): Promise<PersonConflict[]> {
  const conflicts: PersonConflict[] = []
  for (const { id, email, key, lastSignInAt } of await selectConflicts(db)) {
    const places = [...(await selectPlaces(db, id)), ...(await selectInvitations(db, id))]
    conflicts.push({
      _id: id,
      email,
      ...reasonOf(email, key),
      accounts: places.map(({ name }) => name ?? 'All accounts'),
      lastSignInAt: lastSignInAt?.toISOString() ?? null,
    })
  }
  return conflicts
}

function reasonOf(email: string, key: string | null): Pick<PersonConflict, 'mailGoesTo' | 'reason'> {
  const read = readEmailAddress(email)
  const mailGoesTo = 'key' in read ? read.address : null
  if (key !== null) return { mailGoesTo, reason: `Several people have the address ${key}.` }
  return { mailGoesTo, reason: ('problem' in read && read.problem) || 'The address is not valid.' }
}

/**
 * Gives a person another address. For operators, after verifying the person (ADR 0081). All sessions and links of the
 * person end, as the owner of the former mailbox may be using them; password and two-factor stay.
 * @throws not_found; invalid_input at `email`; name_taken
 */
export async function changePersonEmail(
  db: Db,
  { id, email }: { id: string; email: string },
  by: Actor,
): Promise<{ email: string; ended: number }> {
  return inTransaction(db, async (tx) => {
    const changed = await changeEmail(tx, id, email)
    const ended = await updateSessionsRevoked(tx, id, null, new Date())
    await revokeLinksOf(tx, null, id)
    await deletePersonLinks(tx, id)
    await deleteSecondSteps(tx, id)
    const details = { email: { old: changed.before, new: changed.email } }
    await recordForPerson(tx, id, { ...by, action: 'email changed', subject: changed.email, details })
    return { email: changed.email, ended }
  })
}
