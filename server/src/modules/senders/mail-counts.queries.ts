import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'
import type { MailKind, Tables } from './tables.ts'

/** An account's emails of one kind on one day: `2026-12-31`, in UTC. */
export type MailDay = { kind: MailKind; day: string }

const keptDays = 7

/**
 * Counts emails before they are sent, unless the day's number would exceed `limit`. Atomic across all processes.
 * @returns false if they may not be sent
 */
export async function countMails(
  db: Db,
  account: AccountId,
  { kind, day }: MailDay,
  count: number,
  limit: number,
): Promise<boolean> {
  if (count > limit) return false
  const row = await control<Tables>(db)
    .insertInto('mail_counts')
    .values({ account_id: account, kind, day, sent: count, told_at: null })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'kind', 'day'])
        .doUpdateSet({ sent: sql`mail_counts.sent + ${count}` })
        .where(sql<boolean>`mail_counts.sent + ${count} <= ${limit}`),
    )
    .returning('sent')
    .executeTakeFirst()
  if (row?.sent === count) await deleteOldCounts(db, account, day)
  return row !== undefined
}

async function deleteOldCounts(db: Db, account: AccountId, today: string): Promise<void> {
  await control<Tables>(db)
    .deleteFrom('mail_counts')
    .where('account_id', '=', account)
    .where('day', '<', sql<string>`${today}::date - ${keptDays}::integer`)
    .execute()
}

/** Subtracts emails that were counted but not sent. */
export async function uncountMails(db: Db, account: AccountId, { kind, day }: MailDay, count: number): Promise<void> {
  await control<Tables>(db)
    .updateTable('mail_counts')
    .set({ sent: sql`greatest(0, sent - ${count})` })
    .where('account_id', '=', account)
    .where('kind', '=', kind)
    .where('day', '=', day)
    .execute()
}

/** Records that the power users are emailed about the limit. Returns false if they already were on that day. */
export async function updateTold(db: Db, account: AccountId, { kind, day }: MailDay, at: Date): Promise<boolean> {
  const row = await control<Tables>(db)
    .insertInto('mail_counts')
    .values({ account_id: account, kind, day, sent: 0, told_at: at })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'kind', 'day'])
        .doUpdateSet({ told_at: at })
        .where('mail_counts.told_at', 'is', null),
    )
    .returning('day')
    .executeTakeFirst()
  return row !== undefined
}
