import type { AccountEntry, AccountId } from '@portico/contract/identity'
import { recordAudit } from '#audit'
import type { Actor } from '#platform/actor.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Database, Db } from '#platform/database.ts'
import { withMigrationLock, migrateAccount } from '#platform/migrations.ts'
import { judgeAccess, type Refusal } from './access-judgement.ts'
import {
  type AccountRow,
  type AccountWay,
  insertAccount,
  selectAccount,
  selectAccountByName,
  selectAccounts,
  selectAccountWays,
} from './accounts.queries.ts'
import type { Moment } from './limit.ts'

export type AccountDraft = {
  name: string
  parent: AccountId | null
  /** IANA name, such as Europe/Zurich. */
  timeZone?: string
}

/** What the portal does by itself. */
export const portal: Actor = { actor: 'portico', address: null }

/**
 * Makes an account and the schema for its data. Throws `name_taken`. Stopped half-way it leaves an account without its
 * schema, which the next start completes, as does another call for the same name.
 */
export async function createAccount(database: Database, draft: AccountDraft, by = portal): Promise<AccountId> {
  const account = { name: draft.name.trim(), parent: draft.parent, timeZone: draft.timeZone ?? 'UTC' }
  await checkAccount(database.db, account)
  return withMigrationLock(database.url, async (client) => {
    const added = await addAccount(database.db, account, by)
    const id = added ?? (await selectAccountByName(database.db, account.name))?.id
    const wasUnfinished = id !== undefined && (await migrateAccount(client, id))
    if (id === undefined || (added === null && !wasUnfinished)) {
      throw new AppError('name_taken', undefined, `There is an account named "${account.name}" already.`)
    }
    return id
  })
}

/** All accounts, by name. */
export async function listAccounts(db: Db): Promise<AccountEntry[]> {
  return byName(await selectAccounts(db))
}

/**
 * The accounts that a person may enter now, from this address, by name; with `identityId` those that this identity
 * leads into. Throws `no_account` when there are none at any time, `outside_limits` when it is the wrong moment.
 */
export async function accountsOf(
  db: Db,
  personId: string,
  { address, identityId }: { address: string; identityId?: string },
): Promise<AccountEntry[]> {
  const all = await selectAccountWays(db, personId)
  const ways = all.filter((way) => identityId === undefined || way.identityId === identityId)
  if (ways.length === 0) throw new AppError('no_account')
  const moment = { at: new Date(), address }
  const judged = [...Map.groupBy(ways, ({ id }) => id).values()].map((ofAccount) => judgeWays(ofAccount, moment))
  const open = judged.flatMap(({ entry, refusal }) => (refusal === null ? [entry] : []))
  if (open.length > 0) return byName(open)
  const reasons = new Set(judged.flatMap(({ refusal }) => refusal?.message ?? []))
  throw new AppError('outside_limits', undefined, [...reasons].slice(0, 3).join(' '))
}

function judgeWays(ways: AccountWay[], moment: Moment): { entry: AccountEntry; refusal: Refusal | null } {
  const [first] = ways
  if (!first) throw new Error('an account without ways into it')
  const identities = ways.map((way) => ({
    ...way,
    id: way.identityId,
    account: way.identityAccount,
    userName: null,
    isDisabled: false,
    policies: [],
  }))
  return { entry: { Key: first.id, Value: first.name }, refusal: judgeAccess(first, identities, moment).refusal }
}

/** Throws `not_found`. */
export async function requireAccount(db: Db, account: AccountId): Promise<AccountRow> {
  const row = await selectAccount(db, account)
  if (!row) throw new AppError('not_found', undefined, `Account ${account} does not exist.`)
  return row
}

/** IANA name. Throws `not_found`. */
export async function accountTimeZone(db: Db, account: AccountId): Promise<string> {
  return (await requireAccount(db, account)).timeZone
}

async function checkAccount(db: Db, { name, parent, timeZone }: Required<AccountDraft>): Promise<void> {
  if (name === '') throw invalidField('name', 'Value is required!')
  if (name.length > 100) throw invalidField('name', 'Name should have at most 100 characters')
  if (!isTimeZone(timeZone)) throw invalidField('timeZone', `There is no time zone "${timeZone}".`)
  if (parent === null) return
  const { name: parentName, parentId } = await requireAccount(db, parent)
  if (parentId !== null) throw invalidField('parent', `${parentName} is a sub-account and can't have any of its own.`)
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

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true })

function byName(accounts: AccountEntry[]): AccountEntry[] {
  return accounts.toSorted((one, other) => collator.compare(one.Value, other.Value) || one.Key - other.Key)
}
