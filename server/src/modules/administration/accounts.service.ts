import type { Account, AccountChanges, NewAccount } from '@portico/contract/accounts'
import type { AccountId } from '@portico/contract/identity'
import { messages } from '@portico/contract/messages'
import type { z } from 'zod'
import { recordAudit } from '#audit'
import { createAccount, enqueueInvitation, findOrAddPerson, powerUsersGroup } from '#identity'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import { type Database, type Db, inTransaction } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs.ts'
import { withAccessLock } from './access-lock.queries.ts'
import { type AccountDetails, selectAccountDetails, updateAccount } from './accounts.queries.ts'
import { byName, changedValues } from './administered.ts'
import { insertIdentity, updateIdentityGroups } from './identities.queries.ts'

/** All accounts, by name. */
export async function listAccountDetails(db: Db): Promise<Account[]> {
  return byName(await selectAccountDetails(db, null)).map(toAccount)
}

/**
 * Makes an account and invites its first power user. @throws name_taken; not_found, invalid_input for the parent
 */
export async function openAccount(
  { database, jobs }: { database: Database; jobs: Jobs },
  { name, parent, timeZone, powerUser }: z.output<typeof NewAccount>,
  by: Actor,
): Promise<Account> {
  const account = await createAccount(database, { name, parent, timeZone }, by)
  if (powerUser === undefined) return findAccount(database.db, account)
  return addPowerUser({ db: database.db, jobs }, account, powerUser, by)
}

/** Changes what is given. A suspended account keeps its data, and works again when it is resumed. @throws not_found, name_taken */
export async function changeAccount(db: Db, account: AccountId, changes: AccountChanges, by: Actor): Promise<Account> {
  return inTransaction(db, async (tx) => {
    const known = await requireDetails(tx, account)
    const { isSuspended = known.suspendedAt !== null } = changes
    const next = {
      name: changes.name?.trim() ?? known.name,
      timeZone: changes.timeZone ?? known.timeZone,
      suspendedAt: isSuspended ? (known.suspendedAt ?? new Date()) : null,
    }
    if (!(await updateAccount(tx, account, next))) {
      const problem = { field: 'name', message: messages.duplicate }
      throw new AppError('name_taken', [problem], `There is an account named "${next.name}" already.`)
    }
    const details = changedValues(toldOf(known), toldOf(next))
    const action = !('isSuspended' in details) ? 'changed' : isSuspended ? 'suspended' : 'resumed'
    if (Object.keys(details).length > 0) {
      await recordAudit(tx, { ...by, account, action: `account ${action}`, subject: next.name, details })
    }
    return findAccount(tx, account)
  })
}

/** Gives somebody an identity that may do everything in the account. @throws not_found; name_taken when they have one there */
export async function addPowerUser(
  { db, jobs }: { db: Db; jobs: Jobs },
  account: AccountId,
  email: string,
  by: Actor,
): Promise<Account> {
  return withAccessLock(db, async (tx) => {
    await requireDetails(tx, account)
    const person = await findOrAddPerson(tx, email)
    const id = crypto.randomUUID()
    if (!(await insertIdentity(tx, account, id, unlimited(person.id)))) {
      const problem = { field: 'email', message: messages.duplicateEmail }
      throw new AppError('name_taken', [problem], problem.message)
    }
    await updateIdentityGroups(tx, account, id, [powerUsersGroup])
    const details = { powerUser: true }
    await recordAudit(tx, { ...by, account, action: 'identity created', subject: person.email, details })
    await enqueueInvitation(tx, jobs, { personId: person.id, account, by: by.actor })
    return findAccount(tx, account)
  })
}

function unlimited(personId: string) {
  const limits = { days: [], daysEffect: null, hours: [], hoursEffect: null, cidr: null }
  return { personId, userName: null, accessToAllSubAccounts: false, isDisabled: false, ...limits }
}

/** @throws not_found */
async function findAccount(db: Db, account: AccountId): Promise<Account> {
  return toAccount(await requireDetails(db, account))
}

async function requireDetails(db: Db, account: AccountId): Promise<AccountDetails> {
  const [details] = await selectAccountDetails(db, account)
  if (!details) throw new AppError('not_found', undefined, `Account ${account} does not exist.`)
  return details
}

/** What the audit log tells of an account. */
function toldOf({ name, timeZone, suspendedAt }: Pick<AccountDetails, 'name' | 'timeZone' | 'suspendedAt'>) {
  return { name, timeZone, isSuspended: suspendedAt !== null }
}

function toAccount(row: AccountDetails): Account {
  const { id, name, parentId, parentName, timeZone, suspendedAt, createdAt, identities, powerUsers } = row
  return {
    Key: id,
    Value: name,
    parent: parentId === null || parentName === null ? null : { Key: parentId, Value: parentName },
    timeZone,
    isSuspended: suspendedAt !== null,
    createdAt: createdAt.toISOString(),
    identities,
    powerUsers,
  }
}
