import type { AccountId } from '@portico/contract/accounts'
import type { Stages } from '@portico/contract/filter'
import type { Transaction } from 'kysely'
import { accountTimeZone } from '#accounts'
import {
  type ContactField,
  type ContactValue,
  listContactFields,
  holdColumns,
  selectKeyHolder,
  selectMoment,
  selectWidened,
  upsertKeys,
} from '#contacts'
import { selectVisible } from '#filters'
import { computeKeys, findKeyRule, holdImports, type KeyRule } from '#imports'
import { findBrokenIndex } from '#indexes'
import type { Actor } from '#platform/actor.ts'
import type { Caller } from '#platform/http/context.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { type Db, inTransaction, isLockTimeout, isTooLarge, setLocally } from '#platform/database.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'
import { withLock } from '#platform/waits/locks.ts'
import { findByName, isSameName } from '@portico/domain/names'
import { internalFieldNames } from '@portico/contract/contacts'
import { readValue } from './contact-value.ts'
import { mayReadContact } from './reading.ts'

/**
 * The account, the caller who changes one of its contacts, and the contacts that they may change; null for all
 * contacts.
 */
export type Mender = { db: Db; account: AccountId; caller: Caller; actor: Actor; rows: Stages | null }

// Shorter than PostgreSQL's deadlock timeout of one second, so the user's change always gives way, never an import.
const lockTimeout = '200ms'

/**
 * Runs a change of one contact in a transaction. Changes that touch keys run one after the other, and never during an
 * import of the account: otherwise two contacts could get the same key.
 * @throws contact_busy, import_running, value_taken
 */
export async function mend<T>(
  { db, account }: Pick<Mender, 'db' | 'account'>,
  { touchesKeys }: { touchesKeys: boolean },
  work: (tx: Transaction<object>) => Promise<T>,
): Promise<T> {
  const inTurn = async (tx: Transaction<object>): Promise<T> => {
    await setLocally(tx, 'lock_timeout', lockTimeout)
    // Before the fields are read: no field moves to another column until the change is committed.
    await holdColumns(tx, account)
    if (touchesKeys && (await holdImports(tx, account))) throw new AppError('import_running')
    return work(tx)
  }
  try {
    // While this lock is held, no import can be submitted.
    return touchesKeys
      ? await withLock(db, accountLock('unendedImports', account), inTurn)
      : await inTransaction(db, inTurn)
  } catch (error) {
    throw await inWords(db, account, error)
  }
}

async function inWords(db: Db, account: AccountId, error: unknown): Promise<unknown> {
  if (isLockTimeout(error)) return new AppError('contact_busy', undefined, undefined, { cause: error })
  if (isTooLarge(error)) return new AppError('too_large', undefined, 'A text is too long for an index of its field.')
  const broken = await findBrokenIndex(db, account, error)
  if (!broken) return error
  const { name, fields } = broken
  const values = fields.map((field) => `"${field}"`).join(' and ')
  const message = `Another contact has this value: the unique index "${name}" does not allow duplicate values of ${values}.`
  return new AppError('value_taken', { index: name, fields }, message)
}

/** The fields of the catalog, with a look-up by name. */
export type NamedFields = { all: ContactField[]; find: (name: string) => ContactField }

/** The fields of the account. `find` throws invalid_input for names that no field has. */
export async function namedFields(db: Db, account: AccountId): Promise<NamedFields> {
  const all = await listContactFields(db, account)
  const find = findByName(all, ({ name }) => name)
  return {
    all,
    find: (name) => {
      const field = find(name)
      if (field) return field
      const isInternal = internalFieldNames.some((internal) => isSameName(internal, name))
      throw invalidField(
        name,
        isInternal ? 'The portal itself keeps this field; it cannot be changed.' : 'There is no field of this name.',
      )
    },
  }
}

/** Returns a function that reads values for the fields of an account. */
export async function valueReader(db: Db, account: AccountId) {
  const timeZone = await accountTimeZone(db, account)
  return (field: ContactField, value: ContactValue) =>
    readValue(field, value, (local) => selectMoment(db, local, timeZone))
}

/**
 * Returns a function that reads values of the history in their fields' current types, which imports may have widened
 * since.
 */
export async function historyReader(db: Db, account: AccountId) {
  const timeZone = await accountTimeZone(db, account)
  return ({ type }: ContactField, value: ContactValue) => selectWidened(db, { type, value }, timeZone)
}

export const keyRuleOf = (db: Db, account: AccountId, importId: number, fields: NamedFields): Promise<KeyRule> =>
  findKeyRule(db, account, importId, fields.all)

/**
 * Computes the dedup key and coordinates of a contact from its values, and writes them. Returns the base of the PURL
 * that an import would give it.
 * @throws key_taken with the other contact, if the caller may read it
 */
export async function writeKeys(tx: Db, mender: Mender, id: string, rule: KeyRule): Promise<string | null> {
  const { account } = mender
  const keys = await computeKeys(tx, account, id, rule)
  const holder = keys.hash === null ? undefined : await selectKeyHolder(tx, account, { hash: keys.hash, except: id })
  if (holder !== undefined) {
    const isRead = await mayReadContact(tx, mender, holder.id)
    const names = rule.columns.dedup.map(({ field }) => `"${field.name}"`).join(' and ')
    const other = isRead ? `Contact ${holder.id}` : 'A contact that you do not see'
    const has = holder.isFormer ? 'was merged with one that had' : 'has'
    throw new AppError(
      'key_taken',
      { contact: isRead ? holder.id : null, fields: rule.columns.dedup.map(({ field }) => field.name) },
      `${other} ${has} the same ${names}, by which the imports of this account tell contacts apart.`,
    )
  }
  await upsertKeys(tx, account, id, keys)
  return keys.base
}

/**
 * Writes keys computed from the values of a contact that had no dedup key: it gets one unless another contact has it, or
 * will have it again (`reserved`).
 */
export async function writeFreeKeys(
  tx: Db,
  account: AccountId,
  id: string,
  rule: KeyRule,
  reserved: string | null = null,
): Promise<void> {
  if (rule.fields.length === 0) return
  const keys = await computeKeys(tx, account, id, rule)
  const isFree =
    keys.hash === null ||
    (keys.hash !== reserved && !(await selectKeyHolder(tx, account, { hash: keys.hash, except: id })))
  await upsertKeys(tx, account, id, isFree ? keys : { ...keys, hash: null })
}

/** @throws not_allowed for a contact that the caller would not see with its new values */
export async function requireStillVisible(tx: Db, { account, rows }: Mender, id: string): Promise<void> {
  if ((await selectVisible(tx, account, [id], rows)).length > 0) return
  const reason = 'With these values you would not see the contact any more.'
  throw new AppError('not_allowed', undefined, `Your identity sees only some contacts. ${reason}`)
}
