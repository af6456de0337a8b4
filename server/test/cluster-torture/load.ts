import { setTimeout as sleep } from 'node:timers/promises'
import { submit } from '#test/resources/imports.ts'
import type { Member, TestPortal } from '#test/kit/portal.ts'

/** Returns a file of contacts with ids from `from` up to, but not including, `to`. */
const contactRows = (from: number, to: number): string =>
  `Email,City,Rank\n${Array.from({ length: to - from }, (_, at) => `p${from + at}@x.org,City ${at % 100},${at}\n`).join('')}`

/** Matches rows with known contacts, which requires staging the file. */
const byEmail = { dedupColumns: ['Email'], dedupHashMatching: true }

export const importRows = (portal: TestPortal, member: Member, from: number, to: number) =>
  submit(portal, member, contactRows(from, to), byEmail)

/** Counts the contacts of an account, and their emails: equal if none is doubled. Bypasses the portal. */
export async function countContacts(
  portal: TestPortal,
  { account }: Member,
): Promise<{ all: number; distinct: number }> {
  const { rows } = await portal.parts.database.pool.query<{ all: number; distinct: number }>(
    `SELECT count(*)::int AS "all", count(DISTINCT c1)::int AS "distinct" FROM account_${account}.contacts`,
  )
  return rows[0] ?? { all: 0, distinct: 0 }
}

/** Searches an account repeatedly while `work` runs. Returns how often each status came. */
export async function whileSearching(
  members: readonly Member[],
  work: () => Promise<void>,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {}
  const find = encodeURIComponent(JSON.stringify([{ $match: { City: 'City 7' } }]))
  let isOver = false
  const search = async (member: Member): Promise<void> => {
    while (!isOver) {
      const { status } = await member.get(`/contact-service/v1/offers?limit=10&find=${find}`)
      statuses[status] = (statuses[status] ?? 0) + 1
      await sleep(20)
    }
  }
  const searches = Promise.all(members.map(search))
  try {
    await work()
  } finally {
    isOver = true
    await searches
  }
  return statuses
}
