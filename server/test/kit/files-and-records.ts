import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { fileKeys } from '../../src/registrations.ts'
import type { TestPortal } from './portal.ts'

/** Returns paths of files in the storage that have no record, including unfinished ones. */
export async function filesWithoutRecord(portal: TestPortal): Promise<string[]> {
  const keys: string[] = []
  const lost: string[] = []
  for await (const path of glob(['*/*/*', '*/*/.*'], { cwd: join(portal.config.dataDir, 'files') })) {
    if (path.split('/').at(-1)?.startsWith('.')) lost.push(path)
    else keys.push(path)
  }
  for (const [owner = '', own] of Map.groupBy(keys, (key) => key.split('/')[0])) {
    const account = owner === 'portal' ? null : Number(owner)
    const named = new Set<string>()
    for (const { kind, states } of fileKeys) {
      const ofKind = own.filter((key) => key.split('/')[1] === kind)
      if (ofKind.length === 0) continue
      for (const key of (await states(portal.parts.database.db, account, ofKind)).keys()) named.add(key)
    }
    lost.push(...own.filter((key) => !named.has(key)))
  }
  return lost
}

/** Returns keys of finished files that have a record but do not exist. */
export async function recordsWithoutFile(portal: TestPortal, accounts: readonly number[]): Promise<string[]> {
  const { pool } = portal.parts.database
  const lost: string[] = []
  for (const account of accounts) {
    const { rows } = await pool.query<{ key: string }>(
      `SELECT file_key AS key FROM account_${account}.exports WHERE status = 'completed' AND file_removed_at IS NULL
       UNION ALL SELECT file_key FROM account_${account}.reports WHERE status = 'completed' AND file_removed_at IS NULL
       UNION ALL SELECT report_key FROM account_${account}.imports
         WHERE report_key IS NOT NULL AND status IN ('completed', 'rejected') AND report_removed_at IS NULL
       UNION ALL SELECT storage_key FROM portico.uploads
         WHERE account_id = $1 AND completed_at IS NOT NULL AND removed_at IS NULL`,
      [account],
    )
    for (const { key } of rows) if ((await portal.parts.storage.size(key)) === null) lost.push(key)
  }
  return lost
}
