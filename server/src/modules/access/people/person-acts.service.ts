import { messages } from '@portico/contract/messages'
import { recordAudit } from '#audit'
import { lockPerson } from '#persons'
import { invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { nextVersion } from '#platform/rows/versions.ts'
import { type Administrator, withAccessLockOn } from '../administrator.ts'
import { requireOpenToGive } from '../evaluator/entrances.service.ts'
import { type BeforeGiving, isHeld, requireHeld, type Rights } from '../giving.ts'
import { requirePowerAdminLeft } from '../identities/full-power-admin.service.ts'
import {
  type IdentityRow,
  selectPoliciesOfPerson,
  updateIdentity,
  updateSessionsEnded,
} from '../identities/identities.queries.ts'
import { endIdentity } from '../identities/identities.service.ts'
import { requireNotAbove, rightsOfIdentity } from '../identities/identity-giving.ts'
import { ownIdentityInUse } from '../identities/identity-rules.ts'
import { rightsOf } from '../policies/policy-holders.service.ts'
import { lockToSave } from '../versions.service.ts'
import {
  accountsWithin,
  type FoundPerson,
  linksWithin,
  type PeopleDeps,
  personWithin,
  sessionsWithin,
} from './person.service.ts'
import { isEverywhere } from './reach.ts'

// Each act is one transaction over all accounts, under the access lock, and leaves an entry in the audit log of each account
// concerned. No administrator acts on an identity that has more than they hold (ADR 0088, 0162).

/** Marks entries of the audit log: the act concerned all identities that the administrator reaches. */
const inPeople = { inPeople: true }

/**
 * Disables or enables all identities within reach. Returns how many have changed. `beforeGiving` is called before any is enabled.
 * @throws not_found, not_allowed, exceeds_rights; in_use for oneself and the last power admin
 */
export async function setPersonState(
  { db, beforeGiving }: Pick<PeopleDeps, 'db'> & BeforeGiving,
  asking: Administrator,
  id: string,
  isDisabled: boolean,
): Promise<{ changed: number }> {
  return withAccessLockOn(db, asking, personWithin(id), async (tx, admin, found) => {
    requireOther(admin, found, isDisabled ? 'disable yourself' : 'enable yourself')
    requireNoneAbove(admin, found)
    const changing = found.identities.filter((identity) => identity.isDisabled !== isDisabled)
    if (!isDisabled) {
      for (const identity of changing) {
        const given = rightsWithin(admin, identity)
        requireHeld(admin, given)
        await requireOpenToGive(tx, admin.signIn, { account: identity.account, ...given })
      }
      if (changing.length > 0) await beforeGiving(tx)
    }
    for (const identity of changing) {
      await requirePowerAdminLeft(tx, identity, isDisabled)
      await setDisabled(tx, admin, identity, isDisabled)
    }
    return { changed: changing.length }
  })
}

async function setDisabled(tx: Db, admin: Administrator, identity: IdentityRow, isDisabled: boolean): Promise<void> {
  const { account, email } = identity
  const before = await lockToSave(tx, account, { table: 'identities', id: identity.id, sent: undefined })
  await updateIdentity(
    tx,
    account,
    identity,
    { ...identity, isDisabled },
    nextVersion(before, admin.by, ['isDisabled']),
  )
  const details = { isDisabled: { old: identity.isDisabled, new: isDisabled }, ...inPeople }
  await recordAudit(tx, { ...admin.by, account, action: 'identity changed', subject: email, details })
}

/** Whether an administrator could give an identity like this one: work that acts by its right is no more than they hold. */
export const mayGive = (admin: Administrator, identity: IdentityRow): boolean =>
  isHeld(admin, rightsWithin(admin, identity))

/** The rights that an identity gives again. In a sub-account, it is given by rights that hold there too. */
function rightsWithin({ isPowerAdmin, account }: Administrator, identity: IdentityRow): Rights {
  const rights = rightsOfIdentity(identity, identity.groups)
  return { ...rights, reachesSubAccounts: rights.reachesSubAccounts || (!isPowerAdmin && identity.account !== account) }
}

/**
 * Ends the sessions of a person with their impersonation links: for power admins all, else those in accounts within
 * reach; the person can sign in again. Returns the number of sessions.
 * @throws not_found, not_allowed, exceeds_rights; in_use for oneself
 */
export async function endPersonSessions(
  { db, effects }: PeopleDeps,
  asking: Administrator,
  id: string,
): Promise<{ ended: number }> {
  return withAccessLockOn(db, asking, personWithin(id), async (tx, admin, found) => {
    requireOther(admin, found, 'sign yourself out here; use your profile')
    const { reach, person, identities } = found
    requireNoneAbove(admin, found)
    // Signed out everywhere, they lose access with their other identities too.
    if (isEverywhere(reach)) requireHeld(admin, rightsOf(await selectPoliciesOfPerson(tx, person.id)))
    const accounts = await accountsWithin(tx, reach)
    const sessions = await sessionsWithin({ db: tx, effects }, found, accounts)
    const ended = isEverywhere(reach) ? await effects.endSessions(tx, person.id) : sessions.length
    for (const { account, isAccepted, id: identity } of identities) {
      if (!isEverywhere(reach) && account !== null && isAccepted)
        await updateSessionsEnded(tx, account, identity, new Date())
    }
    await endLinks({ db: tx, effects }, found)
    const details = { ended, everywhere: isEverywhere(reach), ...inPeople }
    for (const { account, email } of identities) {
      await recordAudit(tx, { ...admin.by, account, action: 'identity signed out', subject: email, details })
    }
    return { ended }
  })
}

/** Ends the active links of a person in accounts within reach, and returns their number by account. */
async function endLinks({ db: tx, effects }: PeopleDeps, { reach, person }: FoundPerson): Promise<Map<number, number>> {
  // New links take the same lock, so none appears behind the list.
  await lockPerson(tx, person.id)
  const links = await linksWithin({ db: tx, effects }, { person }, await accountsWithin(tx, reach))
  const byAccount = Map.groupBy(links, ({ account }) => account.Key)
  for (const account of byAccount.keys()) await effects.revokeLinks(tx, account, person.id)
  return new Map([...byAccount].map(([account, ended]) => [account, ended.length]))
}

/**
 * Deletes the API credentials of a person's identities within reach, and ends their impersonation links.
 * @throws not_found, not_allowed, exceeds_rights; in_use for oneself
 */
export async function revokePersonSecrets(
  { db, effects }: PeopleDeps,
  asking: Administrator,
  id: string,
): Promise<{ credentials: number; links: number }> {
  return withAccessLockOn(db, asking, personWithin(id), async (tx, admin, found) => {
    requireOther(admin, found, 'revoke your own credentials here; use your profile')
    const { identities, person } = found
    requireNoneAbove(admin, found)
    const known = await effects.listCredentialsOf(
      tx,
      identities.map((identity) => identity.id),
    )
    const links = await endLinks({ db: tx, effects }, found)
    const credentials = new Map(identities.map((each) => [each.account, known.get(each.id)?.length ?? 0]))
    for (const { account, id: identity } of identities) {
      if (credentials.get(account)) await effects.deleteCredentials(tx, account, identity)
    }
    for (const account of new Set([...credentials.keys(), ...links.keys()])) {
      const ended = { credentials: credentials.get(account) ?? 0, links: (account !== null && links.get(account)) || 0 }
      if (ended.credentials + ended.links === 0) continue
      const details = { ...ended, ...inPeople }
      await recordAudit(tx, { ...admin.by, account, action: 'secrets revoked', subject: person.email, details })
    }
    const total = (counts: Iterable<number>): number => [...counts].reduce((sum, count) => sum + count, 0)
    return { credentials: total(credentials.values()), links: total(links.values()) }
  })
}

/**
 * Deletes chosen identities of a person with their API credentials and impersonation links.
 * @throws not_found, not_allowed, exceeds_rights; in_use for oneself and the last power admin; invalid_input naming an
 * identity that is not within reach
 */
export async function removePerson(
  { db, effects }: PeopleDeps,
  asking: Administrator,
  id: string,
  chosen: readonly string[],
): Promise<{ removed: number }> {
  return withAccessLockOn(db, asking, personWithin(id), async (tx, admin, found) => {
    requireOther(admin, found, 'remove yourself')
    requireNoneAbove(admin, found)
    const removed = chosen.map((one, index) => {
      const identity = found.identities.find((each) => each.id === one)
      if (!identity) throw invalidField(`identities.${index}`, messages.notAllowed)
      return identity
    })
    for (const identity of new Set(removed)) await endIdentity({ db: tx, effects }, admin, identity, inPeople)
    return { removed: new Set(removed).size }
  })
}

/** @throws exceeds_rights for a person with an identity within reach that has more than the administrator holds */
function requireNoneAbove(admin: Administrator, { identities }: FoundPerson): void {
  for (const identity of identities) requireNotAbove(admin, identity)
}

/** @throws in_use for a person who acts on themselves */
function requireOther(admin: Administrator, { person }: FoundPerson, what: string): void {
  if (person.id === admin.personId) throw ownIdentityInUse(what)
}
