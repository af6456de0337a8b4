import type { AccountId } from '@portico/contract/accounts'
import { addDays, todayIn } from '@portico/domain/days'
import type { Services } from '#platform/services.ts'
import { countAllSegments, insertCounts, selectCounts } from '#segments'

/** Nights before the load that get a count. */
const nightsBefore = 60

/** Gives each segment of an account counts of past nights, as if it had grown to the present one. Safe to repeat. */
export async function makeSegmentHistory(
  { database: { db }, asOf, signal }: Pick<Services, 'database'> & { asOf: Date; signal: AbortSignal },
  account: AccountId,
  timeZone: string,
): Promise<void> {
  const today = todayIn(timeZone, asOf)
  await countAllSegments(db, account, today, signal)
  for (const { filterId, contacts } of await selectCounts(db, account, { since: today })) {
    if (contacts === null) continue
    const past = Array.from({ length: nightsBefore }, (_, at) => at + 1)
    const counts = past.map((daysAgo) => ({
      filterId,
      night: addDays(today, -daysAgo),
      contacts: earlier(contacts, daysAgo),
      reason: null,
    }))
    await insertCounts(db, account, counts, asOf)
  }
}

/** About half a percent fewer for each day, with steps as imports make them. */
function earlier(contacts: number, daysAgo: number): number {
  const weeks = Math.ceil(daysAgo / 7)
  return Math.round(contacts * Math.max(0.3, 1 - 0.03 * weeks - 0.002 * (daysAgo % 7)))
}
