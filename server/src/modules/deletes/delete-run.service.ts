import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountId } from '@portico/contract/accounts'
import { matching } from '@portico/domain/pipeline/match-json'
import { countUpContactsVersion } from '#accounts'
import { analyzeContacts, listContactFields } from '#contacts'
import { actsAsRefusal } from '#credentials'
import { listImports } from '#imports'
import { type Database, type Db, isLockTimeout, setLocally } from '#platform/database.ts'
import { JobInterrupted } from '#platform/jobs/jobs.ts'
import type { Logger } from '#platform/log.ts'
import {
  clearDeleteTargets,
  deleteLeftovers,
  deleteOfContacts,
  deleteOrphans,
  deleteTargetsAfter,
  lockContacts,
  lockDelete,
  selectDelete,
  selectDeleteTargets,
  selectNeedsSweep,
  updateDeleteEnded,
  updatePosition,
  updateSwept,
} from './deletes.queries.ts'

type Deps = { database: Database; log: Logger }

// Contacts per transaction. Small enough that an import that needs one of them hardly waits.
const chunkSize = 2000
// Shorter than PostgreSQL's deadlock timeout of one second, so that it is always the delete that gives way, never the
// import.
const lockTimeout = '200ms'
const retryMs = 100
// Below this, the planner's statistics stay good enough.
const worthAnalyzing = 10_000

/**
 * Deletes the contacts of a bulk delete in chunks; each chunk and the progress are one transaction. Safe to interrupt
 * and repeat, also by two processes at once, which take turns. Rejected once who asked for it may not delete them any more:
 * those that are left stay.
 */
export async function runDelete(deps: Deps, account: AccountId, id: string, signal: AbortSignal): Promise<void> {
  const { db } = deps.database
  // The last process may have stopped between a commit and counting it.
  await countUpContactsVersion(db, account)
  const refusal = await refusalOf(deps.database, account, id)
  for (;;) {
    if (signal.aborted) throw new JobInterrupted()
    try {
      const step = refusal === null ? await db.transaction().execute((tx) => deleteChunk(tx, account, id)) : 'emptied'
      await countUpContactsVersion(db, account)
      if (step === 'more') continue
      if (step === 'over') return
      // Any import that looked up contacts before the last of them was deleted is running by now, and found here.
      const needsSweep = await isImportRunning(db, account)
      const deleted = await db.transaction().execute((tx) => finish(tx, account, id, needsSweep, refusal))
      await countUpContactsVersion(db, account)
      if (deleted >= worthAnalyzing) await analyzeContacts(db, account)
      return
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      deps.log.info({ account, delete: id }, 'a delete waits for an import that writes the same contacts')
      await sleep(retryMs)
    }
  }
}

/** Why who asked for a delete may not make it any more, in words for users; null while they may. */
async function refusalOf(database: Database, account: AccountId, id: string): Promise<string | null> {
  const row = await selectDelete(database.db, account, id)
  return row?.status === 'processing' && row.acts_as ? actsAsRefusal(database, row.acts_as) : null
}

/** Returns `emptied` when no contact is left to delete, `over` when another process has finished the delete. */
async function deleteChunk(tx: Db, account: AccountId, id: string): Promise<'more' | 'emptied' | 'over'> {
  const row = await takeTurn(tx, account, id)
  if (!row) return 'over'
  const ids = await selectDeleteTargets(tx, account, id, row.position, chunkSize)
  const position = ids.at(-1)
  if (position === undefined) return 'emptied'
  const tables = await tablesBesideContacts(tx, account)
  await lockContacts(tx, account, ids)
  for (const { table, column } of tables) await deleteOfContacts(tx, account, table, column, ids)
  await deleteOfContacts(tx, account, 'contacts', 'id', ids)
  await updatePosition(tx, account, id, { position, count: ids.length })
  return 'more'
}

/** Returns how many contacts were deleted; 0 when another process finished first. `reason`: why it is rejected. */
async function finish(
  tx: Db,
  account: AccountId,
  id: string,
  needsSweep: boolean,
  reason: string | null,
): Promise<number> {
  const row = await takeTurn(tx, account, id)
  if (!row) return 0
  if (reason !== null) await deleteTargetsAfter(tx, account, id, row.position)
  for (const { table, column } of await tablesBesideContacts(tx, account)) {
    await deleteLeftovers(tx, account, id, table, column)
  }
  await updateDeleteEnded(tx, account, id, { reason, needsSweep, now: new Date() })
  await clearDeleteTargets(tx, account)
  return Number(row.processed_records)
}

async function takeTurn(tx: Db, account: AccountId, id: string) {
  await setLocally(tx, 'lock_timeout', lockTimeout)
  const row = await lockDelete(tx, account, id)
  return row?.status === 'processing' ? row : null
}

type BesideContacts = { table: string; column: 'id' | 'contact_id' }

async function tablesBesideContacts(db: Db, account: AccountId): Promise<BesideContacts[]> {
  const parts = new Set((await listContactFields(db, account)).map(({ table }) => table))
  parts.delete('contacts')
  const ofContacts = ['contact_keys', 'contact_words', ...parts].map((table) => ({ table, column: 'id' as const }))
  return [{ table: 'events', column: 'contact_id' }, ...ofContacts]
}

async function isImportRunning(db: Db, account: AccountId): Promise<boolean> {
  const find = matching({ status: { $in: ['processing', 'recovery'] } })
  const counted = await listImports({ db, caller: null, rows: null }, account, { find, count: '', limit: 1, skip: 0 })
  return !Array.isArray(counted) && counted.count > 0
}

/**
 * Must be called when an import has ended: it may have computed keys or further columns of contacts before a delete
 * removed them, and written these afterwards.
 */
export async function sweepAfterImport(db: Db, account: AccountId): Promise<void> {
  if (!(await selectNeedsSweep(db, account))) return
  for (const { table, column } of await tablesBesideContacts(db, account)) {
    await deleteOrphans(db, account, table, column)
  }
  await countUpContactsVersion(db, account)
  await updateSwept(db, account)
}
