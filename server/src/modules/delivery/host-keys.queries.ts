import type { AccountId } from '@portico/contract/accounts'
import { canonicalHost } from '@portico/contract/hosts'
import { type Db, inAccount } from '#platform/database.ts'

type Tables = { host_keys: { host: string; port: number; fingerprint: string; first_seen_at: Date } }

/** Returns the pinned fingerprint of a server; pins this one if there is none. */
export async function insertHostKey(
  db: Db,
  account: AccountId,
  key: { host: string; port: number; fingerprint: string },
): Promise<string> {
  const host = canonicalHost(key.host)
  const tables = inAccount<Tables>(db, account)
  await tables
    .insertInto('host_keys')
    .values({ ...key, host, first_seen_at: new Date() })
    .onConflict((conflict) => conflict.columns(['host', 'port']).doNothing())
    .execute()
  const known = await tables
    .selectFrom('host_keys')
    .select('fingerprint')
    .where('host', '=', host)
    .where('port', '=', key.port)
    .executeTakeFirst()
  return known?.fingerprint ?? key.fingerprint
}

export async function selectHostKeys(db: Db, account: AccountId): Promise<Tables['host_keys'][]> {
  return inAccount<Tables>(db, account).selectFrom('host_keys').selectAll().orderBy('host').orderBy('port').execute()
}

/** Removes the pinned key. Returns whether there was one. */
export async function deleteHostKey(db: Db, account: AccountId, host: string, port: number): Promise<boolean> {
  const deleted = await inAccount<Tables>(db, account)
    .deleteFrom('host_keys')
    .where('host', '=', canonicalHost(host))
    .where('port', '=', port)
    .returning('port')
    .executeTakeFirst()
  return deleted !== undefined
}
