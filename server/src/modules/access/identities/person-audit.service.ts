import { type AuditEntry, recordAudit } from '#audit'
import type { Db } from '#platform/database.ts'
import { selectPlaces } from './places.queries.ts'

/** Records an event about a person in the audit log of each account where they have an identity. */
export async function recordForPerson(db: Db, personId: string, entry: Omit<AuditEntry, 'account'>): Promise<void> {
  const places = await selectPlaces(db, personId)
  const accounts = places.length > 0 ? places.map(({ account }) => account) : [null]
  for (const account of new Set(accounts)) await recordAudit(db, { ...entry, account })
}
