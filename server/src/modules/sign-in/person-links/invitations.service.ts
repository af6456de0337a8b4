import type { AccountEntry } from '@portico/contract/accounts'
import type { User } from '@portico/contract/sign-in'
import type { ownAccountApi } from '@portico/contract/own-account'
import type { Reply } from '@portico/contract/route'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { requireGoodPassword } from '../passwords/password-rules.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { type PlaceRow, recordForPerson, selectPlace, selectPlaces, updateAccepted } from '#access'
import { type PersonLink, updatePersonLinkUsed } from './person-links.queries.ts'
import { requireLink } from './person-links.service.ts'
import { lockPersonDetails, type PersonDetails, selectPersonById, updatePasswordHash, updateUserName } from '#persons'
import { completeSignIn } from '../sign-in.service.ts'
import type { Origin, SignInDeps } from '../sign-in-deps.ts'

type Invitation = { link: PersonLink; person: PersonDetails; places: PlaceRow[] }

/** Returns the invited person, the inviter and the accounts. Throws `link_invalid`. */
export async function readInvitation(db: Db, secret: string): Promise<Reply<typeof ownAccountApi.getInvitation>> {
  const { link, person, places } = await requireInvitation(db, secret)
  return {
    email: person.email,
    userName: person.userName ?? places.find(({ userName }) => userName)?.userName ?? null,
    accounts: places.map(({ name }) => name ?? 'All accounts'),
    invitedBy: places[0]?.invitedBy ?? null,
    isRegistered: person.passwordHash !== null,
    expiresAt: link.expiresAt.toISOString(),
  }
}

/**
 * Sets the first password and the name, accepts only the identity of the invitation, and signs in.
 * @throws link_invalid, also for a person who already has a password; no_account, outside_limits
 */
export async function register(
  deps: SignInDeps,
  { invitation, password, userName }: { invitation: string; password: string; userName: string },
  from: Origin,
): Promise<{ token: string; user: User; accounts: AccountEntry[] }> {
  const { db } = deps.database
  const { link, person } = await requireInvitation(db, invitation)
  // Otherwise an old email could be used to replace an existing password.
  if (person.passwordHash) throw new AppError('link_invalid')
  await requireGoodPassword('password', password, { email: person.email, userName }, deps.config)
  const passwordHash = await hashPassword(password)
  const via = { kind: 'email-link' as const }
  // All or nothing: a person outside their allowed hours keeps the link.
  return completeSignIn(deps, person, { ...from, caller: { via } }, async (tx) => {
    const at = new Date()
    // Another invitation may have set a password meanwhile.
    const now = await lockPersonDetails(tx, person.id)
    if (now?.passwordHash !== null || !(await updatePersonLinkUsed(tx, link.id, at))) throw new AppError('link_invalid')
    await updatePasswordHash(tx, person.id, passwordHash)
    await updateUserName(tx, person.id, userName)
    if (link.identityId !== null) await updateAccepted(tx, person.id, link.identityId, at)
    const by = { actor: person.email, address: from.address, via }
    const entry = { ...by, action: 'invitation accepted', subject: person.email }
    await recordForPerson(tx, person.id, entry)
  })
}

/**
 * The link, its person and the identity it invites to; for a link of an earlier release, which names no identity, the
 * person's accepted ones.
 */
async function requireInvitation(db: Db, secret: string): Promise<Invitation> {
  const link = await requireLink(db, 'invitation', secret)
  const person = await selectPersonById(db, link.personId)
  if (!person) throw new AppError('link_invalid')
  if (link.identityId === null) return { link, person, places: await selectPlaces(db, person.id) }
  const place = await selectPlace(db, person.id, link.identityId)
  // The identity was handed over to another person.
  if (!place) throw new AppError('link_invalid')
  return { link, person, places: [place] }
}
