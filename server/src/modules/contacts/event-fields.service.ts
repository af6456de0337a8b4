import type { AccountId } from '@portico/contract/accounts'
import type { OfferedEventField } from '@portico/contract/events'
import { recordAudit } from '#audit'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import {
  deleteEventField,
  deleteOfferedEventField,
  insertEventFields,
  isEventFieldUsed,
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

/** Adds a field that pages and applications may then send with events. One that is there already stays. */
export async function addEventField(db: Db, account: AccountId, by: Actor, name: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const isKnown = (await selectKnownEventFields(tx, account, [name])).length > 0
    await insertEventFields(tx, account, [name])
    await deleteOfferedEventField(tx, account, name)
    if (!isKnown) await recordAudit(tx, { account, ...by, action: 'event field added', subject: name, details: {} })
  })
}

/**
 * Removes a field that no event has, or a name that is only offered.
 * @throws not_found; in_use when an event has a value under this name
 */
export async function removeEventField(db: Db, account: AccountId, by: Actor, name: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const isKnown = (await selectKnownEventFields(tx, account, [name])).length > 0
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
