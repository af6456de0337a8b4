import type { AccountEntry } from '@portico/contract/accounts'
import type { User } from '@portico/contract/sign-in'
import type { ownAccountApi } from '@portico/contract/own-account'
import type { Reply } from '@portico/contract/route'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { requireGoodPassword } from '../passwords/password-rules.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { recordForPerson, accountsOf, selectGivenName, selectPlaces } from '#access'
import { deleteUnusedPersonLinks, type PersonLink, updatePersonLinkUsed } from './person-links.queries.ts'
import { requireLink } from './person-links.service.ts'
import { type PersonDetails, selectPersonById, updatePasswordHash, updateUserName } from '#persons'
import { completeSignIn } from '../sign-in.service.ts'
import type { Origin, SignInDeps } from '../sign-in-deps.ts'

/** Returns the invited person, the inviter and the accounts. Throws `link_invalid`. */
export async function readInvitation(db: Db, secret: string): Promise<Reply<typeof ownAccountApi.getInvitation>> {
  const { link, person } = await requireInvitation(db, secret)
  const places = await selectPlaces(db, person.id)
  return {
    email: person.email,
    userName: person.userName ?? (await selectGivenName(db, person.id)),
    accounts: places.map(({ name }) => name ?? 'All accounts'),
    invitedBy: link.invitedBy,
    expiresAt: link.expiresAt.toISOString(),
  }
}

/** Sets the first password and the name, and signs in. Throws `link_invalid`, `no_account`, `outside_limits`. */
export async function register(
  deps: SignInDeps,
  { invitation, password, userName }: { invitation: string; password: string; userName: string },
  from: Origin,
): Promise<{ token: string; user: User; accounts: AccountEntry[] }> {
  const { db } = deps.database
  const { link, person } = await requireInvitation(db, invitation)
  await requireGoodPassword('password', password, { email: person.email, userName }, deps.config)
  // Checked before the link is used up, so that a person outside their allowed hours keeps it.
  await accountsOf(db, person.id, from)
  const passwordHash = await hashPassword(password)
  const via = { kind: 'email-link' as const }
  return completeSignIn(deps, person, { ...from, caller: { via } }, async (tx) => {
    if (!(await updatePersonLinkUsed(tx, link.id, new Date()))) throw new AppError('link_invalid')
    await updatePasswordHash(tx, person.id, passwordHash)
    await updateUserName(tx, person.id, userName)
    await deleteUnusedPersonLinks(tx, person.id)
    const by = { actor: person.email, address: from.address, via }
    const entry = { ...by, action: 'invitation accepted', subject: person.email }
    await recordForPerson(tx, person.id, entry)
  })
}

async function requireInvitation(db: Db, secret: string): Promise<{ link: PersonLink; person: PersonDetails }> {
  const link = await requireLink(db, 'invitation', secret)
  const person = await selectPersonById(db, link.personId)
  // Otherwise an old email could be used to replace an existing password.
  if (!person || person.passwordHash) throw new AppError('link_invalid')
  return { link, person }
}
