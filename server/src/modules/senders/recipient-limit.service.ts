import { createHash } from 'node:crypto'
import type { AccountId } from '@portico/contract/accounts'
import { callerKey } from '@portico/contract/email-address'
import type { Db } from '#platform/database.ts'
import { countMails, type MailDay, uncountMails } from './mail-counts.queries.ts'
import { selectPeopleAmong } from './recipients.queries.ts'

/** Emails from the portal's own address that one address gets from an account in a day (UTC), unless it is a person there. */
export const mostToStranger = 20

/** `release` takes back emails that were not sent. */
export type CountedRecipients = { to: string[]; release: () => Promise<void> }

/**
 * Leaves out the recipients that have had their number of emails today: an account must not flood the mailboxes of strangers in
 * the portal's name. Those who are left are counted, over all processes.
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
