import type { Actor } from '#platform/actor.ts'
import type { Account, AccountChanges, AccountId, NewAccount } from '@portico/contract/accounts'
import { messages } from '@portico/contract/messages'
import type { z } from 'zod'
import {
  type AccountDetails,
  changeAccount,
  createAccount,
  requireAccount,
  requireAccountDetails,
  selectAccountDetails,
} from '#accounts'
import { requirePersonWith } from '#persons'
import { AppError, invalidField } from '#platform/app-error.ts'
import { byName } from '#platform/by-name.ts'
import type { Database, Db } from '#platform/database.ts'
import { type Administrator, withAccessLockOn } from '../administrator.ts'
import { requireOpenToGive } from '../evaluator/entrances.service.ts'
import { type AccountMembers, selectAccountMembers } from '../evaluator/power.queries.ts'
import { everything, type Holding } from '../evaluator/holdings.ts'
import { requireEverything, requireHeld } from '../giving.ts'
import { powerUsersGroup } from '../groups/built-in.ts'
import { selectGroupPolicies } from '../groups/groups.queries.ts'
import type { IdentityEffects } from '../identities/identity-effects.ts'
import { requireInvitationLeft } from '../identities/invitation-limit.service.ts'
import { addIdentity } from '../identities/new-identity.service.ts'

/** Author of a change: their name in the audit log and in invitations, and the rights they hold. */
export type Inviter = {
  actor: Actor
  inviter: string
  holdings: readonly Holding[]
  signIn: Administrator['signIn']
  /** Returns the same author with their current rights. */
  now: () => Promise<Inviter>
}

type Effects = Pick<IdentityEffects, 'invite'>

/** Returns all accounts with their power users, by name. */
export async function listAccountDetails(db: Db): Promise<Account[]> {
  const members = new Map((await selectAccountMembers(db, null)).map((row) => [row.account, row]))
  return byName(await selectAccountDetails(db, null)).map((row) => toAccount(row, members.get(row.id)))
}

/** @throws not_found */
export async function findAccountDetails(db: Db, account: AccountId): Promise<Account> {
  const details = await requireAccountDetails(db, account)
  const [members] = await selectAccountMembers(db, account)
  return toAccount(details, members)
}

/**
 * Creates an account and invites its first power user. @throws name_taken; not_found, invalid_input for the parent
 */
export async function openAccount(
  { database, effects }: { database: Database; effects: Effects },
  { name, parent, timeZone, powerUser }: z.output<typeof NewAccount>,
  by: Inviter,
): Promise<Account> {
  // Checked first: creating the account takes a while.
  if (powerUser !== undefined) await requireMayAddPowerUser(database.db, by, { accessToAllSubAccounts: false })
  const account = await createAccount(database, { name, parent, timeZone }, by.actor)
  if (powerUser === undefined) return findAccountDetails(database.db, account)
  return addPowerUser({ db: database.db, effects }, account, { email: powerUser }, by)
}

/** @throws exceeds_rights unless they hold, without limits, everything that the group of power users gives */
async function requireMayAddPowerUser(
  db: Db,
  by: Inviter,
  { accessToAllSubAccounts }: { accessToAllSubAccounts: boolean },
): Promise<void> {
  const policies = await selectGroupPolicies(db, powerUsersGroup)
  requireHeld(by, { policies, limits: everything.limits, reachesSubAccounts: accessToAllSubAccounts })
}

/**
 * Renames an account, changes its time zone, suspends or resumes it. Resuming gives its people access again, and the
 * time zone moves their permitted hours, so both require holding every right.
 * @throws not_found, name_taken, exceeds_rights
 */
export async function changeAccountOf(
  db: Db,
  account: AccountId,
  changes: z.output<typeof AccountChanges>,
  asking: Inviter,
): Promise<Account> {
  const find = (from: Db) => requireAccountDetails(from, account)
  return withAccessLockOn(db, asking, find, async (tx, by, known) => {
    if (changes.isSuspended === false || changes.timeZone !== undefined) {
      const isResumed = changes.isSuspended === false && known.suspendedAt !== null
      if (isResumed || (changes.timeZone ?? known.timeZone) !== known.timeZone) requireEverything(by)
    }
    await changeAccount(tx, account, changes, by.actor)
    return findAccountDetails(tx, account)
  })
}

/**
 * Creates an identity with full access to the account for a person, and invites them.
 * @throws not_found; name_taken when they already have one there; exceeds_rights; too_many_requests
 */
export async function addPowerUser(
  { db, effects }: { db: Db; effects: Effects },
  account: AccountId,
  { email, accessToAllSubAccounts = false }: { email: string; accessToAllSubAccounts?: boolean },
  asking: Inviter,
): Promise<Account> {
  const find = (from: Db) => requireAccount(from, account)
  return withAccessLockOn(db, asking, find, async (tx, by, { parentId }) => {
    if (accessToAllSubAccounts && parentId !== null) throw invalidField('accessToAllSubAccounts', messages.notAllowed)
    await requireMayAddPowerUser(tx, by, { accessToAllSubAccounts })
    await requireOpenToGive(tx, by.signIn, { account, reachesSubAccounts: accessToAllSubAccounts })
    const person = await requirePersonWith(tx, email)
    await requireInvitationLeft(tx, account, person.email)
    const invitation = { by: by.inviter }
    const details = { powerUser: true, ...(accessToAllSubAccounts && { accessToAllSubAccounts }) }
    const granted = { groups: [powerUsersGroup], accessToAllSubAccounts, details, invitation }
    if ((await addIdentity(tx, account, person, granted, by.actor)) === null) {
      const problem = { field: 'email', message: messages.duplicateEmail }
      throw new AppError('name_taken', [problem], problem.message)
    }
    await effects.invite(tx, { personId: person.id, account })
    return findAccountDetails(tx, account)
  })
}

function toAccount(row: AccountDetails, members: AccountMembers | undefined): Account {
  const { id, name, parentId, parentName, timeZone, suspendedAt, createdAt } = row
  return {
    Key: id,
    version: row.version,
    Value: name,
    parent: parentId === null || parentName === null ? null : { Key: parentId, Value: parentName },
    timeZone,
    isSuspended: suspendedAt !== null,
    createdAt: createdAt.toISOString(),
    identities: members?.identities ?? 0,
    powerUsers: members?.powerUsers ?? [],
  }
}
