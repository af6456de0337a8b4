import { recordForPerson } from '#access'
import { deletePasskeys } from '#persons'
import type { AuditEntry } from '#audit'
import type { Db } from '#platform/database.ts'

type By = Pick<AuditEntry, 'actor' | 'address' | 'via'>

/**
 * Removes all passkeys of a person whose password or two-factor is reset: someone else may have added one (ADR 0161).
 * Returns their number. The caller has locked the person, and ends their sessions.
 */
export async function removePasskeys(tx: Db, { id, email }: { id: string; email: string }, by: By): Promise<number> {
  const names = await deletePasskeys(tx, id)
  if (names.length > 0) {
    await recordForPerson(tx, id, { ...by, action: 'passkeys removed', subject: email, details: { names } })
  }
  return names.length
}
