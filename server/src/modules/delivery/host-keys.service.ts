import type { AccountId } from '@portico/contract/accounts'
import type { HostKey } from '@portico/contract/notifications'
import { recordAudit } from '#audit'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { deleteHostKey, selectHostKeys } from './host-keys.queries.ts'

/** Returns the pinned host keys of the account's SFTP servers. */
export async function listHostKeys(db: Db, account: AccountId): Promise<HostKey[]> {
  const keys = await selectHostKeys(db, account)
  return keys.map(({ first_seen_at: at, ...key }) => ({ ...key, firstSeenAt: at.toISOString() }))
}

/**
 * Removes the pinned key; the next key that the server shows is then pinned.
 * @throws not_found
 */
export async function forgetHostKey(
  db: Db,
  account: AccountId,
  by: Actor,
  { host, port }: { host: string; port: number },
): Promise<Record<string, never>> {
  return inTransaction(db, async (tx) => {
    if (!(await deleteHostKey(tx, account, host, port))) throw new AppError('not_found')
    await recordAudit(tx, {
      account,
      ...by,
      action: 'host key forgotten',
      subject: `${host}:${port}`,
      details: {},
    })
    return {}
  })
}
