import { createHash } from 'node:crypto'
import type { AccountId } from '@portico/contract/accounts'
import { callerKey } from '@portico/contract/email-address'
import type { Db } from '#platform/database.ts'
import { countMails, type MailDay, uncountMails } from './mail-counts.queries.ts'
import { selectPeopleAmong } from './recipients.queries.ts'

/**
 * Most emails from the portal's own address that an account sends to one address in a day (UTC), unless a person of the
 * account has the address.
 */
export const mostToStranger = 20

/** `release` subtracts emails that were not sent. */
export type CountedRecipients = { to: string[]; release: () => Promise<void> }

/**
 * Removes recipients who have reached today's number of emails: an account must not flood strangers' mailboxes in the
 * portal's name. The remaining recipients are counted, across all processes.
 */
export async function reserveRecipients(
  db: Db,
  account: AccountId,
  recipients: readonly string[],
): Promise<CountedRecipients> {
  const people = new Set(await selectPeopleAmong(db, account, recipients.map(callerKey)))
  const day = new Date().toISOString().slice(0, 10)
  const [to, counted]: [string[], MailDay[]] = [[], []]
  for (const recipient of recipients) {
    const key = callerKey(recipient)
    const count: MailDay = { kind: `to ${createHash('sha256').update(key).digest('hex')}`, day }
    const isPerson = people.has(key)
    if (!isPerson && !(await countMails(db, account, count, 1, mostToStranger))) continue
    to.push(recipient)
    if (!isPerson) counted.push(count)
  }
  return {
    to,
    release: async () => {
      for (const count of counted) await uncountMails(db, account, count, 1)
    },
  }
}
