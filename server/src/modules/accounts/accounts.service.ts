import type { AccountChanges, AccountEntry, AccountId } from '@portico/contract/accounts'
import { messages } from '@portico/contract/messages'
import { changedValues, recordAudit } from '#audit'
import type { Actor } from '#platform/actor.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { compareNames } from '#platform/by-name.ts'
import { type Database, type Db, inTransaction } from '#platform/database.ts'
import { migrateAccount, withMigrationLock } from '#platform/migrations.ts'
import {
  type AccountDetails,
  type AccountRow,
  insertAccount,
  selectAccount,
  selectAccountByName,
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
 * Creates an account and the schema for its data. Throws `name_taken`. An interrupted call leaves an account without
 * its schema; the next start, or another call with the same name, completes it.
 */
export async function createAccount(database: Database, draft: AccountDraft, by = portal): Promise<AccountId> {
  const account = { name: draft.name.trim(), parent: draft.parent, timeZone: draft.timeZone ?? 'UTC' }
  await checkAccount(database.db, account)
  return withMigrationLock(database.url, async (client) => {
    const added = await addAccount(database.db, account, by)
    const id = added ?? (await selectAccountByName(database.db, account.name))?.id
    const wasUnfinished = id !== undefined && (await migrateAccount(client, id))
    if (id === undefined || (added === null && !wasUnfinished)) {
      throw new AppError('name_taken', undefined, `An account named "${account.name}" already exists.`)
    }
    return id
  })
}

/**
 * Changes the given values. A suspended account keeps its data, and works again when it is resumed.
 * @throws not_found, name_taken
 */
export async function changeAccount(db: Db, account: AccountId, changes: AccountChanges, by: Actor): Promise<void> {
  await inTransaction(db, async (tx) => {
    const known = await requireAccountDetails(tx, account)
    const { isSuspended = known.suspendedAt !== null } = changes
    const next = {
      name: changes.name?.trim() ?? known.name,
      timeZone: changes.timeZone ?? known.timeZone,
      suspendedAt: isSuspended ? (known.suspendedAt ?? new Date()) : null,
    }
    if (!(await updateAccount(tx, account, next))) {
      const problem = { field: 'name', message: messages.duplicate }
      throw new AppError('name_taken', [problem], `An account named "${next.name}" already exists.`)
    }
    const details = changedValues(auditedValues(known), auditedValues(next))
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

/** IANA name. Throws `not_found`. */
export async function accountTimeZone(db: Db, account: AccountId): Promise<string> {
  return (await requireAccount(db, account)).timeZone
}

async function checkAccount(db: Db, { name, parent, timeZone }: Required<AccountDraft>): Promise<void> {
  if (name === '') throw invalidField('name', 'Value is required!')
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

/** Null when the name is taken. */
async function addAccount(db: Database['db'], account: Required<AccountDraft>, by: Actor): Promise<AccountId | null> {
  return db.transaction().execute(async (tx) => {
    const id = await insertAccount(tx, account)
    if (id !== null) {
      const { name, parent, timeZone } = account
      await recordAudit(tx, {
        ...by,
        account: id,
        action: 'account created',
        subject: name,
        details: { parent, timeZone },
      })
    }
    return id
  })
}

function byName(accounts: AccountEntry[]): AccountEntry[] {
  return accounts.toSorted((one, other) => compareNames(one.Value, other.Value) || one.Key - other.Key)
}
