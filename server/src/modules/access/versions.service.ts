import type { AccountId } from '@portico/contract/accounts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { requireVersion, type VersionRow } from '#platform/rows/versions.ts'
import { lockVersion } from './versions.queries.ts'

/**
 * Locks a policy, group or identity for a save over the version that the client sent.
 * @throws not_found, newer_version
 */
export async function lockToSave(
  tx: Db,
  owner: AccountId | null,
  item: { table: Parameters<typeof lockVersion>[2]; id: string; sent: number | undefined },
): Promise<VersionRow> {
  const row = await lockVersion(tx, owner, item.table, item.id)
  if (!row) throw new AppError('not_found')
  requireVersion(row, item.sent)
  return row
}
