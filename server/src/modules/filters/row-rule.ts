import type { Stages } from '@portico/contract/filter'
import { AppError } from '#platform/app-error.ts'

/**
 * For work to which no row rule can be applied.
 * @throws not_allowed with the reason, unless the caller may see all contacts
 */
export function requireAllContacts(rows: Stages | null, reason: string): void {
  if (rows === null) return
  throw new AppError('not_allowed', undefined, `Your identity sees only some contacts. ${reason}`)
}
