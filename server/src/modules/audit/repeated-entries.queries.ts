import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#platform/database.ts'
import type { AuditEntry } from './audit.queries.ts'

/** An entry that occurred `count` times within the minute of `at`, which is when it first occurred. */
export type RepeatedEntry = { entry: AuditEntry; at: Date; count: number }

const minuteMs = 60_000

/** Identifies equal entries of one minute, across all processes. */
export function keyOfRepeated(
  { account, actor, address, via, action, subject, details }: AuditEntry,
  at: Date,
): string {
  const minute = Math.floor(at.getTime() / minuteMs)
  const parts = [minute, account, actor, address, via?.kind, via?.name, action, subject, details]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

/** Adds to the lines of the same minute, or writes new ones, in one statement. */
export async function upsertRepeatedEntries(db: Db, entries: readonly RepeatedEntry[]): Promise<void> {
  // In the order of keys, which keeps processes from deadlocking.
  const sorted = entries
    .map((each) => ({ ...each, key: keyOfRepeated(each.entry, each.at) }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
  const texts = (read: (entry: AuditEntry) => string | null) => sql`${sorted.map(({ entry }) => read(entry))}::text[]`
  await sql`
    INSERT INTO portico.audit_log AS line
      (account_id, at, actor, action, subject, details, address, via, via_name, count, coalesce_key)
    SELECT account_id, at, actor, action, subject, details::jsonb, address, via, via_name, count, key FROM unnest(
      ${sorted.map(({ entry }) => entry.account)}::integer[], ${sorted.map(({ at }) => at.toISOString())}::timestamptz[],
      ${texts(({ actor }) => actor)}, ${texts(({ action }) => action)}, ${texts(({ subject }) => subject)},
      ${texts(({ details = {} }) => JSON.stringify(details))}, ${texts(({ address }) => address)},
      ${texts(({ via }) => via?.kind ?? null)}, ${texts(({ via }) => via?.name ?? null)},
      ${sorted.map(({ count }) => count)}::integer[], ${sorted.map(({ key }) => key)}::text[]
    ) AS entry (account_id, at, actor, action, subject, details, address, via, via_name, count, key)
    ON CONFLICT (coalesce_key) WHERE coalesce_key IS NOT NULL DO UPDATE SET count = line.count + EXCLUDED.count`.execute(
    db,
  )
}
