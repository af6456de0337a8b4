import type { AccountId } from '@portico/contract/accounts'
import { limitInWords } from '@portico/contract/account-limits'
import type { OfferedEventField } from '@portico/contract/events'
import { eventFieldName, hasInvisibleCharacters } from '@portico/domain/event-fields'
import { recordAudit } from '#audit'
import type { Actor } from '#platform/actor.ts'
import { roomFor } from '#platform/account-limits.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'
import { withLock } from '#platform/waits/locks.ts'
import {
  countEventFields,
  deleteEventField,
  deleteOfferedEventField,
  insertEventFields,
  isEventFieldUsed,
  lockEventFields,
  lockRemovedEventField,
  selectKnownEventFields,
  selectOfferedEventFields,
} from './event-fields.queries.ts'

export async function listOfferedEventFields(db: Db, account: AccountId): Promise<OfferedEventField[]> {
  const rows = await selectOfferedEventFields(db, account)
  return rows.map(({ name, first_seen_at: first, last_seen_at: last }) => ({
    name,
    firstSeenAt: first.toISOString(),
    lastSeenAt: last.toISOString(),
  }))
}

/** The error for a name that the fields of an account cannot have, or have no room for. */
export type RefuseField = (name: string, problem: string) => Error

/**
 * Runs `work`, which adds these fields, in a transaction. Other calls that add or remove fields in this account wait until
 * it ends. If all names are known, as they nearly always are, only those that remove one of them wait.
 */
export async function addingEventFields<T>(
  db: Db,
  account: AccountId,
  names: readonly string[],
  work: (tx: Db) => Promise<T>,
): Promise<T> {
  const wanted = new Set(names).size
  if ((await selectKnownEventFields(db, account, names)).length === wanted) {
    const done = await inTransaction(db, async (tx) =>
      // One may have been removed meanwhile.
      (await lockEventFields(tx, account, names)).length === wanted ? { result: await work(tx) } : null,
    )
    if (done) return done.result
  }
  return withLock(db, accountLock('eventFields', account), work)
}

/**
 * Keeps the fields of events that a transaction writes, whatever their number, and adds again those that were removed since
 * they were checked or deleted.
 */
export async function keepEventFields(tx: Db, account: AccountId, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const known = new Set(await lockEventFields(tx, account, names))
  await insertEventFields(
    tx,
    account,
    names.filter((name) => !known.has(name)),
  )
}

/**
 * Adds fields that the account does not have, all or none, within `addingEventFields`.
 * @param names as they are kept (`eventFieldName`)
 * @throws what `refuse` makes of the first one with an invisible character, or without room
 */
export async function addEventFields(
  tx: Db,
  account: AccountId,
  names: readonly string[],
  refuse: RefuseField,
): Promise<void> {
  const known = new Set(await selectKnownEventFields(tx, account, names))
  const fresh = [...new Set(names)].filter((name) => !known.has(name))
  if (fresh.length === 0) return
  const unclear = fresh.find(hasInvisibleCharacters)
  if (unclear !== undefined) throw refuse(unclear, 'The name contains an invisible character. Type the name again.')
  const first = fresh[roomFor('eventFields', await countEventFields(tx, account))]
  if (first !== undefined) throw refuse(first, limitInWords('eventFields'))
  await insertEventFields(tx, account, fresh)
}

/**
 * Adds a field that pages and applications may then send with events. An existing one stays.
 * @throws invalid_input
 */
export async function addEventField(db: Db, account: AccountId, by: Actor, name: string): Promise<void> {
  await addingEventFields(db, account, [name], async (tx) => {
    const isKnown = (await selectKnownEventFields(tx, account, [name])).length > 0
    await addEventFields(tx, account, [name], (_name, problem) => invalidField('name', problem))
    await deleteOfferedEventField(tx, account, name)
    if (!isKnown) await recordAudit(tx, { account, ...by, action: 'event field added', subject: name, details: {} })
  })
}

/**
 * Removes a field that no event uses, or a name that is only offered.
 * @throws not_found; in_use when an event has a value under this name
 */
export async function removeEventField(db: Db, account: AccountId, by: Actor, written: string): Promise<void> {
  const name = eventFieldName(written)
  await withLock(db, accountLock('eventFields', account), async (tx) => {
    const isKnown = await lockRemovedEventField(tx, account, name)
    if (isKnown && (await isEventFieldUsed(tx, account, name))) {
      throw new AppError('in_use', undefined, `Events have values of "${name}", so it cannot be removed.`)
    }
    const wasKnown = await deleteEventField(tx, account, name)
    const wasOffered = await deleteOfferedEventField(tx, account, name)
    if (!wasKnown && !wasOffered) throw new AppError('not_found')
    const action = wasKnown ? 'event field removed' : 'event field dismissed'
    await recordAudit(tx, { account, ...by, action, subject: name, details: {} })
  })
}
