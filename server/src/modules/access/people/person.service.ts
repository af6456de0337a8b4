import type { AccountEntry, AccountId } from '@portico/contract/accounts'
import type { IdentityOfPerson, Person, PersonDetails, SessionOfPerson } from '@portico/contract/people'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Administrator } from '../administrator.ts'
import type { IdentityRow } from '../identities/identities.queries.ts'
import type { IdentityEffects, ListedLink, ListedSession } from '../identities/identity-effects.ts'
import { isNotAbove } from '../identities/identity-giving.ts'
import { toIdentity } from '../identities/identity-on-wire.ts'
import { type PersonRow, selectAccountsWithin, selectIdentitiesOfPerson, selectPersonWithin } from './people.queries.ts'
import { isEverywhere, type Reach, reachOf } from './reach.ts'

export type PeopleDeps = { db: Db; effects: IdentityEffects }

/** A person with their identities within the reach of an administrator; there is at least one. */
export type FoundPerson = { reach: Reach; person: PersonRow; identities: IdentityRow[] }

/**
 * Finds a person, for `withAccessLockOn`.
 * @throws not_found, also for a person without an identity within reach; not_allowed
 */
export const personWithin =
  (id: string) =>
  async (db: Db, admin: Administrator): Promise<FoundPerson> => {
    const reach = await reachOf(db, admin)
    const person = await selectPersonWithin(db, reach, id)
    if (!person) throw new AppError('not_found')
    return { reach, person, identities: await selectIdentitiesOfPerson(db, reach, person.id) }
  }

export const toPerson = ({ id, lastSignInAt, ...row }: PersonRow): Person => ({
  _id: id,
  ...row,
  lastSignInAt: lastSignInAt?.toISOString() ?? null,
})

/** @throws not_found, not_allowed */
export async function getPerson({ db, effects }: PeopleDeps, admin: Administrator, id: string): Promise<PersonDetails> {
  const found = await personWithin(id)(db, admin)
  const { person, identities } = found
  const accounts = await accountsWithin(db, found.reach)
  const credentials = await effects.listCredentialsOf(
    db,
    identities.map((identity) => identity.id),
  )
  const isOwn = person.id === admin.personId
  const canBeChanged = !isOwn && identities.every((identity) => isNotAbove(admin, identity))
  const shown = identities.map((identity): IdentityOfPerson => ({
    ...toIdentity(identity, admin, credentials.get(identity.id) ?? []),
    account: identity.account === null ? null : (accounts.get(identity.account) ?? null),
    canBeChanged,
  }))
  return {
    ...toPerson(person),
    isOwn,
    identities: shown.toSorted((one, other) => placeOf(accounts, one) - placeOf(accounts, other)),
    sessions: (await sessionsWithin({ db, effects }, found, accounts)).map((each) => toSession(found.reach, each)),
    links: (await linksWithin({ db, effects }, found, accounts)).map(({ account, ...link }) => ({
      ...link,
      account: account.Value,
    })),
  }
}

/** Accounts by id, in the order of their names. */
export type Accounts = ReadonlyMap<AccountId, AccountEntry>

export async function accountsWithin(db: Db, reach: Reach): Promise<Accounts> {
  return new Map((await selectAccountsWithin(db, reach)).map((entry) => [entry.Key, entry]))
}

const placeOf = (accounts: Accounts, { account }: IdentityOfPerson): number =>
  account === null ? -1 : [...accounts.keys()].indexOf(account.Key)

type SessionWithin = ListedSession & { entered: AccountEntry[] }

/**
 * The active sessions of a person that concern an administrator: all for power admins, else those that have entered an account
 * within reach, and have not been signed out of it.
 */
export async function sessionsWithin(
  { db, effects }: PeopleDeps,
  { reach, person, identities }: FoundPerson,
  accounts: Accounts,
): Promise<SessionWithin[]> {
  const opens = (identity: IdentityRow, { Key, parent }: AccountEntry): boolean =>
    identity.account === Key || (identity.account === parent && identity.accessToAllSubAccounts)
  const isIn = ({ createdAt }: ListedSession, entry: AccountEntry): boolean =>
    identities.some(
      (identity) =>
        opens(identity, entry) &&
        identity.isAccepted &&
        (identity.sessionsEndedAt === null || identity.sessionsEndedAt < createdAt),
    )
  const sessions = (await effects.listSessions(db, person.id)).map((session) => ({
    ...session,
    entered: session.accounts.flatMap((id) => accounts.get(id) ?? []),
  }))
  if (isEverywhere(reach)) return sessions
  return sessions
    .map((session) => ({ ...session, entered: session.entered.filter((entry) => isIn(session, entry)) }))
    .filter(({ entered }) => entered.length > 0)
}

function toSession(reach: Reach, session: SessionWithin): SessionOfPerson {
  const { id, device, address, createdAt, lastSeenAt, entered } = session
  return {
    _id: id,
    device,
    address,
    createdAt: createdAt.toISOString(),
    lastSeenAt: isEverywhere(reach) ? lastSeenAt.toISOString() : null,
    accounts: entered.map(({ Value }) => Value),
  }
}

/** The active impersonation links that a person created in accounts within reach. */
export async function linksWithin(
  { db, effects }: PeopleDeps,
  { person }: Pick<FoundPerson, 'person'>,
  accounts: Accounts,
): Promise<(Omit<ListedLink, 'account'> & { account: AccountEntry })[]> {
  const links = await effects.listLinks(db, person.id)
  return links.flatMap((link) => {
    const account = accounts.get(link.account)
    return account ? [{ ...link, account }] : []
  })
}
