import type { AccountId } from '@portico/contract/accounts'
import type { RawBuilder, Selectable, Transaction } from 'kysely'
import { isAliveCredential } from '#credentials'
import { control, type Db } from '#platform/database.ts'
import { withLock } from '#platform/waits/locks.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'
import type { Tables } from './tables.ts'

export type SenderRow = Selectable<Tables['mail_senders']> & {
  /** False once the API credential that requested it no longer works: it then has to be requested again. */
  is_held: boolean
}

const isHeld = (): RawBuilder<boolean> => isAliveCredential('mail_senders.credential_id', new Date())

/** The senders of an account, by address, without removed ones. */
export async function selectSenders(db: Db, account: AccountId): Promise<SenderRow[]> {
  return control<Tables>(db)
    .selectFrom('mail_senders')
    .selectAll()
    .select(isHeld().as('is_held'))
    .where('account_id', '=', account)
    .where((is) => is.or([is('removed_at', 'is', null), is('requested_at', '>', is.ref('removed_at'))]))
    .orderBy('address')
    .execute()
}

/** The sender with this key of an address, even if it was removed. */
export async function selectSender(db: Db, account: AccountId, address: string): Promise<SenderRow | null> {
  const row = await control<Tables>(db)
    .selectFrom('mail_senders')
    .selectAll()
    .select(isHeld().as('is_held'))
    .where('account_id', '=', account)
    .where('address', '=', address)
    .executeTakeFirst()
  return row ?? null
}

/** Adds an address, or requests it again; null if it is already verified, unless its API credential no longer works. */
export async function upsertRequested(
  db: Db,
  account: AccountId,
  {
    address,
    requestedBy,
    at,
    credential,
  }: { address: string; requestedBy: string; at: Date; credential: string | null },
): Promise<SenderRow | null> {
  const requested = { requested_by: requestedBy, requested_at: at, credential_id: credential }
  const row = await control<Tables>(db)
    .insertInto('mail_senders')
    .values({ id: crypto.randomUUID(), account_id: account, address, ...requested })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'address'])
        .doUpdateSet({ ...requested, verified_at: null })
        .where((is) => is.or([is('mail_senders.verified_at', 'is', null), is.not(isHeld())])),
    )
    .returningAll()
    .returning(isHeld().as('is_held'))
    .executeTakeFirst()
  return row ?? null
}

/**
 * Gives an unverified sender a new link, which replaces the previous one. Returns null if the sender is verified or no
 * longer exists.
 */
export async function updateLink(
  db: Db,
  account: AccountId,
  id: string,
  link: { secretHash: string; expiresAt: Date },
): Promise<SenderRow | null> {
  const row = await control<Tables>(db)
    .updateTable('mail_senders')
    .set({ secret_hash: link.secretHash, expires_at: link.expiresAt })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .where('verified_at', 'is', null)
    .where((is) => is.or([is('removed_at', 'is', null), is('requested_at', '>', is.ref('removed_at'))]))
    .returningAll()
    .returning(isHeld().as('is_held'))
    .executeTakeFirst()
  return row ?? null
}

/** Deletes a sender that was never verified. Returns its address, or null if there is no such sender. */
export async function deleteUnverified(db: Db, account: AccountId, id: string): Promise<string | null> {
  const row = await control<Tables>(db)
    .deleteFrom('mail_senders')
    .where('account_id', '=', account)
    .where('id', '=', id)
    .where('verified_at', 'is', null)
    .where('removed_at', 'is', null)
    .returning('address')
    .executeTakeFirst()
  return row?.address ?? null
}

/** Marks a sender as removed; its link ends. Returns its address, or null if there is no such sender. */
export async function updateRemoved(db: Db, account: AccountId, id: string, at: Date): Promise<string | null> {
  const row = await control<Tables>(db)
    .updateTable('mail_senders')
    .set({ removed_at: at, verified_at: null, secret_hash: null, expires_at: null })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .where((is) => is.or([is('removed_at', 'is', null), is('requested_at', '>', is.ref('removed_at'))]))
    .returning('address')
    .executeTakeFirst()
  return row?.address ?? null
}

/** The sender whose link has this secret hash, if the link can still be used. */
export async function selectByLink(db: Db, secretHash: string, now: Date): Promise<SenderRow | null> {
  const row = await control<Tables>(db)
    .selectFrom('mail_senders')
    .selectAll()
    .select(isHeld().as('is_held'))
    .where('secret_hash', '=', secretHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row ?? null
}

/** Verifies the sender and ends its link. Returns false when the link was used or replaced in the meantime. */
export async function updateVerified(db: Db, account: AccountId, secretHash: string, at: Date): Promise<boolean> {
  const updated = await control<Tables>(db)
    .updateTable('mail_senders')
    .set({ verified_at: at, removed_at: null, secret_hash: null, expires_at: null })
    .where('account_id', '=', account)
    .where('secret_hash', '=', secretHash)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Requests senders of an account one at a time. @throws unavailable */
export function withSendersLocked<T>(
  db: Db,
  account: AccountId,
  work: (tx: Transaction<object>) => Promise<T>,
): Promise<T> {
  return withLock(db, accountLock('senders', account), work)
}
