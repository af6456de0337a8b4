import type { AccountChanges, AccountEntry, AccountId } from '@portico/contract/accounts'
import { messages } from '@portico/contract/messages'
import { changedValues, recordAudit } from '#audit'
import type { Actor } from '#platform/actor.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { compareNames } from '#platform/by-name.ts'
import { type Database, type Db, inTransaction, queriesOn } from '#platform/database.ts'
import { isServerAway } from '#platform/citus/server-away.ts'
import { changingTables, createAccountSchema, markWhole, migrateAccount } from '#platform/migrations.ts'
import { nextVersion, requireVersion } from '#platform/rows/versions.ts'
import {
  type AccountDetails,
  type AccountRow,
  insertAccount,
  lockAccount,
  selectAccount,
  selectUnfinished,
  selectAccountDetails,
  selectAccounts,
  updateAccount,
} from './accounts.queries.ts'

export type AccountDraft = {
  name: string
  parent: AccountId | null
  /** IANA name, such as Europe/Zurich. */
  timeZone?: string
}

/** The portal itself as the actor of a change. */
export const portal: Actor = { actor: 'portico', address: null, via: { kind: 'portal' } }

/**
 * Creates an account with the schema for its data, and shows it once both are complete. A failure leaves nothing
 * behind; a call interrupted after its commit is completed by the next one with the same name, or by `migrateAccounts`.
 * @throws name_taken; not_found, invalid_input for the draft; server_away if a server of the database is unavailable
 */
export async function createAccount(database: Database, draft: AccountDraft, by = portal): Promise<AccountId> {
  const account = { name: draft.name.trim(), parent: draft.parent, timeZone: draft.timeZone ?? 'UTC' }
  await checkAccount(database.db, account)
  try {
    return await addWhole(database, account, by)
  } catch (error) {
    // A transaction that creates a schema cannot commit unless every server is available.
    throw isServerAway(error) ? new AppError('server_away', undefined, noNewAccount, { cause: error }) : error
  }
}

const noNewAccount =
  'Accounts cannot be created while a server of the database cannot be reached. Nothing was created; try again in a few minutes.'

/** Adds an account with its schema in one transaction, or completes an interrupted creation; then shows it. */
function addWhole(database: Database, account: Required<AccountDraft>, by: Actor): Promise<AccountId> {
  return changingTables(database.url, async (client) => {
    const db = queriesOn(client)
    const added = await db.transaction().execute(async (tx) => {
      const id = await addAccount(tx, account, by)
      if (id !== null) await createAccountSchema(client, id)
      return id
    })
    const id = added ?? (await selectUnfinished(db, account.name))
    if (id === null) throw nameTaken(account.name)
    if (added === null) await migrateAccount(client, id)
    await markWhole(client, id)
    return id
  })
}

function nameTaken(name: string): AppError {
  return new AppError('name_taken', undefined, `An account named "${name}" already exists.`)
}

/**
 * Changes the given values. A suspended account keeps its data, and works again once it is resumed.
 * @throws not_found, newer_version, name_taken
 */
export async function changeAccount(db: Db, account: AccountId, changes: AccountChanges, by: Actor): Promise<void> {
  await inTransaction(db, async (tx) => {
    const before = await lockAccount(tx, account)
    if (!before) throw noAccount(account)
    requireVersion(before, changes.version)
    const known = await requireAccountDetails(tx, account)
    const { isSuspended = known.suspendedAt !== null } = changes
    const next = {
      name: changes.name?.trim() ?? known.name,
      timeZone: changes.timeZone ?? known.timeZone,
      suspendedAt: isSuspended ? (known.suspendedAt ?? new Date()) : null,
    }
    const details = changedValues(auditedValues(known), auditedValues(next))
    if (!(await updateAccount(tx, known, next, nextVersion(before, by, Object.keys(details))))) {
      const problem = { field: 'name', message: messages.duplicate }
      throw new AppError('name_taken', [problem], `An account named "${next.name}" already exists.`)
    }
    const action = !('isSuspended' in details) ? 'changed' : isSuspended ? 'suspended' : 'resumed'
    if (Object.keys(details).length > 0) {
      await recordAudit(tx, { ...by, account, action: `account ${action}`, subject: next.name, details })
    }
  })
}

/** The values of an account that the audit log records. */
function auditedValues({ name, timeZone, suspendedAt }: Pick<AccountDetails, 'name' | 'timeZone' | 'suspendedAt'>) {
  return { name, timeZone, isSuspended: suspendedAt !== null }
}

function noAccount(account: AccountId): AppError {
  return new AppError('not_found', undefined, `Account ${account} does not exist.`)
}

/** All accounts, by name. */
export async function listAccounts(db: Db): Promise<AccountEntry[]> {
  return byName(await selectAccounts(db))
}

/** Throws `not_found`. */
export async function requireAccount(db: Db, account: AccountId): Promise<AccountRow> {
  const row = await selectAccount(db, account)
  if (!row) throw noAccount(account)
  return row
}

/** @throws not_found */
export async function requireAccountDetails(db: Db, account: AccountId): Promise<AccountDetails> {
  const [details] = await selectAccountDetails(db, account)
  if (!details) throw noAccount(account)
  return details
}

/** Whether the account exists and is not suspended. */
export async function isAccountOpen(db: Db, account: AccountId): Promise<boolean> {
  const [details] = await selectAccountDetails(db, account)
  return details?.suspendedAt === null
}

/** Returns the account's time zone, an IANA name. Throws `not_found`. */
export async function accountTimeZone(db: Db, account: AccountId): Promise<string> {
  return (await requireAccount(db, account)).timeZone
}

async function checkAccount(db: Db, { name, parent, timeZone }: Required<AccountDraft>): Promise<void> {
  if (name === '') throw invalidField('name', messages.required)
  if (name.length > 100) throw invalidField('name', 'Name should have at most 100 characters')
  if (!isTimeZone(timeZone)) throw invalidField('timeZone', `Unknown time zone "${timeZone}".`)
  if (parent === null) return
  const { name: parentName, parentId } = await requireAccount(db, parent)
  if (parentId !== null) throw invalidField('parent', `${parentName} is a sub-account and cannot have sub-accounts.`)
}

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Null if the name is taken. */
async function addAccount(tx: Db, account: Required<AccountDraft>, by: Actor): Promise<AccountId | null> {
  const id = await insertAccount(tx, account)
  if (id !== null) {
    const { name, parent, timeZone } = account
    const details = { parent, timeZone }
    await recordAudit(tx, { ...by, account: id, action: 'account created', subject: name, details })
  }
  return id
}

function byName(accounts: AccountEntry[]): AccountEntry[] {
  return accounts.toSorted((one, other) => compareNames(one.Value, other.Value) || one.Key - other.Key)
}
