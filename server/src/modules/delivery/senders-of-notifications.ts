import type { AccountId } from '@portico/contract/accounts'
import type { Notification } from '@portico/contract/notifications'
import { requireSender, type SenderSettings } from '#senders'
import type { Db } from '#platform/database.ts'

/**
 * Checks the senders of notifications that are being saved.
 * @throws invalid_input at `from` or `fromName` of the first sender that may not be used
 */
export async function requireSenders(
  db: Db,
  config: SenderSettings,
  account: AccountId,
  notifications: readonly Notification[],
  field: string,
): Promise<void> {
  for (const [position, notification] of notifications.entries()) {
    if (notification.type !== 'email') continue
    await requireSender(db, config, account, { ...notification, field: `${field}.${position}` })
  }
}
