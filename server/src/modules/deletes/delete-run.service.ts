import type { AccountId } from '@portico/contract/accounts'
import { matching } from '@portico/domain/pipeline/match-json'
import { countUpContactsVersion } from '#accounts'
import { analyzeContacts, inTurn, listContactFields, lockContacts } from '#contacts'
import { actsAsRefusal } from '#credentials'
import { listImports } from '#imports'
import { type Database, type Db, isDatabaseAway } from '#platform/database.ts'
import { type AttemptEnd, isStalled, JobRefused, stalledReason, systemFailureReason } from '#platform/jobs/job-runs.ts'
import { runAttempt } from '#platform/jobs/run-attempt.ts'
import type { Logger } from '#platform/log.ts'
import {
  clearDeleteTargets,
  countAttempt,
  type DeleteRow,
  deleteLeftovers,
  deleteOrphans,
  deleteTargetsAfter,
  lockDelete,
  selectDeleteTargets,
  selectNeedsSweep,
  updateDeleteEnded,
  updatePosition,
  updateSwept,
} from './deletes.queries.ts'
import { keepContacts } from './keep-contacts.service.ts'
import { ContactPace } from './contact-pace.ts'
import { removeContacts, tablesBesideContacts, worthAnalyzing } from './remove-contacts.service.ts'

type Deps = { database: Database; log: Logger }

/**
 * Deletes the contacts of a bulk delete in chunks; each chunk and the progress are one transaction. Safe to interrupt
 * and repeat, also by two processes at once, which take turns. Rejected when the requester loses the right to it, or after
 * several attempts without progress: the remaining contacts are kept.
 */
export async function runDelete(deps: Deps, account: AccountId, id: string, signal: AbortSignal): Promise<void> {
  const { db } = deps.database
  const attempt = {
    claim: async () => {
      // The previous process may have stopped between a commit and counting it.
      await countUpContactsVersion(db, account)
      return (await countAttempt(db, account, id, 1)) ?? null
    },
    work: async (row: DeleteRow) => {
      if (hasStalled(row)) throw new JobRefused(stalledReason())
      const { acts_as: actsAs } = row
      const refusal = actsAs && (await actsAsRefusal(deps.database, actsAs))
      if (refusal !== null) throw new JobRefused(refusal)
      const pace = new ContactPace((await listContactFields(db, account)).length)
      while (await inTurn(deps, { account, delete: id }, signal, (tx) => deleteChunk(tx, account, id, pace))) {
        await countUpContactsVersion(db, account)
      }
      await complete(deps, account, id, signal, null)
    },
    explain: (error: unknown) => ({ reason: systemFailureReason(error), isFinal: false }),
    onEnd: async (row: DeleteRow, end: AttemptEnd) => {
      if (end.kind === 'interrupted' || (end.kind === 'failed' && !end.counts)) await countAttempt(db, account, id, -1)
      if (end.kind === 'rejected' && hasStalled(row)) await endStalled(deps, account, id, signal)
      else if (end.kind === 'rejected') await complete(deps, account, id, signal, end.reason)
      return true
    },
  }
  await runAttempt<DeleteRow>(attempt, signal)
}

/** Whether a delete that was claimed has had too many attempts without progress. */
export const hasStalled = ({ stalled_attempts: attempts }: DeleteRow): boolean => isStalled(attempts - 1)

const stalled = 'The remaining contacts are kept; they can be deleted again.'

/** The data that an ordinary end removes may be the cause. It is left to the sweep of other deletes then, so that this one ends. */
async function endStalled(deps: Deps, account: AccountId, id: string, signal: AbortSignal): Promise<void> {
  const reason = `${stalledReason()} ${stalled}`
  try {
    await complete(deps, account, id, signal, reason)
  } catch (error) {
    if (isDatabaseAway(error) || signal.aborted) throw error
    deps.log.error({ account, delete: id, err: error }, 'a delete that stalled leaves data of deleted contacts')
    const needsSweep = await isImportRunning(deps.database.db, account)
    await updateDeleteEnded(deps.database.db, account, id, { reason, needsSweep, now: new Date() })
  }
}

/** `reason`: why the delete is rejected; null if all its contacts were deleted. */
async function complete(
  deps: Deps,
  account: AccountId,
  id: string,
  signal: AbortSignal,
  reason: string | null,
): Promise<void> {
  const { db } = deps.database
  // An import that looked up contacts before the last of them was deleted is running by now, and is found here.
  const needsSweep = await isImportRunning(db, account)
  const step = (tx: Db) => finish(tx, account, id, needsSweep, reason)
  const deleted = await inTurn(deps, { account, delete: id }, signal, step)
  await countUpContactsVersion(db, account)
  if (deleted >= worthAnalyzing) await analyzeContacts(db, account)
}

/** Returns whether contacts were left to delete. */
async function deleteChunk(tx: Db, account: AccountId, id: string, pace: ContactPace): Promise<boolean> {
  const begun = performance.now()
  const row = await takeTurn(tx, account, id)
  if (!row) return false
  const ids = await selectDeleteTargets(tx, account, id, row.position, pace.atOnce)
  const position = ids.at(-1)
  if (position === undefined) return false
  const present = await lockContacts(tx, account, ids)
  const contacts = { deleteId: id, ids: present }
  // A delete begun by an earlier release could restore only some of its contacts.
  const kept = row.contents === 'kept' ? await keepContacts(tx, account, contacts, row.position) : 0
  await removeContacts(tx, account, present)
  await updatePosition(tx, account, id, { position, count: ids.length, kept })
  pace.took(performance.now() - begun)
  return true
}

/** Returns the number of deleted contacts; 0 when another process finished first. `reason`: why it is rejected. */
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
  const row = await lockDelete(tx, account, id)
  return row?.status === 'processing' ? row : null
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
