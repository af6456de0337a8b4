import type { AccountId } from '@portico/contract/accounts'
import { mostKeptListed } from '@portico/contract/undo-limits'
import { countUpContactsVersion } from '#accounts'
import { analyzeContacts, inTurn, listContactFields } from '#contacts'
import {
  ContactPace,
  type DeleteRow,
  forgetOldDeletes,
  keptLess,
  lockDelete,
  type RestoreProgress,
  selectKeptContacts,
  selectKeptFields,
  sweepAfterImport,
  updateRestore,
  worthAnalyzing,
} from '#deletes'
import { type Database, type Db, setLocally } from '#platform/database.ts'
import {
  type AttemptEnd,
  isStalled,
  JobRefused,
  progressAtEnd,
  stalledReason,
  systemFailureReason,
} from '#platform/jobs/job-runs.ts'
import { runLocked } from '#platform/jobs/run-attempt.ts'
import type { Logger } from '#platform/log.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'
import { withLock } from '#platform/waits/locks.ts'
import { rulesProblem } from './restore-rules.service.ts'
import { returnDeleted } from './return-contacts.service.ts'
import { returnMerged } from './return-merged.service.ts'
import { refusalOfUndo } from './undo-rights.ts'

type Deps = { database: Database; log: Logger }

// Shorter than PostgreSQL's deadlock timeout: the job gives way, not the other transaction.
const lockTimeout = '200ms'

/**
 * Undoes a bulk delete in chunks; each chunk and the progress are one transaction, so it is safe to interrupt and
 * repeat. Rejected when the requester loses the right to it, or when imports identify contacts in another way;
 * completed chunks are kept.
 */
export async function runRestore(deps: Deps, account: AccountId, id: string, signal: AbortSignal): Promise<void> {
  const { db } = deps.database
  await runLocked<DeleteRow>(
    deps.database,
    { account, kind: 'deleteUndo', id },
    {
      claim: () => claim(db, account, id),
      work: (row) => restore(deps, account, row, signal),
      explain: (error) => ({ reason: systemFailureReason(error), isFinal: false }),
      onEnd: async (_row, end) => {
        await endAttempt(db, account, id, end)
        return true
      },
    },
    signal,
  )
}

async function claim(db: Db, account: AccountId, id: string): Promise<DeleteRow | null> {
  // The previous process may have stopped between a commit and counting it.
  await countUpContactsVersion(db, account)
  const row = await lockDelete(db, account, id)
  if (!row?.restore || (row.restore_status !== 'waiting' && row.restore_status !== 'processing')) return null
  const { restore: before } = row
  return updateRestore(db, account, id, {
    restore_status: 'processing',
    restore_activity_at: new Date(),
    restore: JSON.stringify({ ...before, stalledAttempts: before.stalledAttempts + 1 }),
  })
}

async function endAttempt(db: Db, account: AccountId, id: string, end: AttemptEnd): Promise<void> {
  const row = await lockDelete(db, account, id)
  const progress = row?.restore ? progressAtEnd(row.restore, end) : null
  if (progress === null) return
  await updateRestore(db, account, id, {
    ...(end.kind === 'rejected' && { restore_status: 'rejected' as const, restore_activity_at: new Date() }),
    restore: JSON.stringify(progress),
  })
}

async function restore(deps: Deps, account: AccountId, row: DeleteRow, signal: AbortSignal): Promise<void> {
  const { db } = deps.database
  if (isStalled((row.restore?.stalledAttempts ?? 0) - 1)) throw new JobRefused(stalledReason())
  const refusal = (await refusalOfUndo(deps.database, account, row)) ?? (await rulesProblem(db, account, row))
  if (refusal !== null) throw new JobRefused(refusal)
  // An import may have written keys of contacts after they were deleted; these would block the restored ones.
  await sweepAfterImport(db, account)
  const subject = { account, restore: row.id }
  const pace = new ContactPace((await listContactFields(db, account)).length)
  while (await inTurn(deps, subject, signal, (tx) => restoreChunk(tx, account, row.id, pace))) {
    await countUpContactsVersion(db, account)
  }
  const done = await inTurn(deps, subject, signal, (tx) => complete(tx, account, row.id))
  await countUpContactsVersion(db, account)
  await forgetOldDeletes(db, account)
  if (done >= worthAnalyzing) await analyzeContacts(db, account)
}

/** Contacts that are looked at in one transaction; as many return as there is time for. */
const mostLooked = 2000

/** Returns whether there was something left to return. Contacts are added by people, with their keys, before it or after it. */
async function restoreChunk(tx: Db, account: AccountId, id: string, pace: ContactPace): Promise<boolean> {
  return withLock(tx, accountLock('unendedImports', account), async () => {
    await setLocally(tx, 'lock_timeout', lockTimeout)
    const row = await lockDelete(tx, account, id)
    if (!row?.restore || row.restore_status !== 'processing') return false
    const next = await nextContacts(tx, account, id, row.restore.position)
    if (!next || next.ids.length === 0) return false
    const contacts = { deleteId: id, ids: next.ids }
    const name = row.merged_into === null ? 'Undo delete' : 'Undo merge'
    const actor = { actor: row.restored_by ?? 'portico', address: null, via: { kind: 'portal' as const, name } }
    const options = { contacts, kept: next.fields, pace, actor }
    const done = await (row.merged_into === null
      ? returnDeleted(tx, account, options)
      : returnMerged(tx, account, row, options))
    const position = next.ids[done.looked - 1] ?? row.restore.position
    await updateRestore(tx, account, id, {
      restore: JSON.stringify(progressAfter(row.restore, position, done)),
      kept_records: keptLess(done.returned),
      restore_activity_at: new Date(),
    })
    return true
  })
}

type Done = Awaited<ReturnType<typeof returnDeleted>>

function progressAfter(before: RestoreProgress, position: string, { returned, refused, lost }: Done): RestoreProgress {
  return {
    position,
    restoredRecords: before.restoredRecords + returned,
    missingRecords: before.missingRecords + refused.length,
    missingValues: before.missingValues + lost.length,
    missing: [...before.missing, ...refused, ...lost].slice(0, mostKeptListed),
    stalledAttempts: 0,
    reason: null,
  }
}

/**
 * Selects the next contacts and the columns that fields had when these were deleted: within a chunk, all have the same
 * columns.
 */
async function nextContacts(tx: Db, account: AccountId, id: string, position: string) {
  const [first] = await selectKeptContacts(tx, account, id, { position, upTo: null, limit: 1 })
  if (first === undefined) return null
  const known = await selectKeptFields(tx, account, id)
  const at = known.findLastIndex(({ after }) => BigInt(after) < BigInt(first))
  const fields = known[at]?.fields
  if (!fields) throw new Error('contacts are kept without the columns of their fields')
  const upTo = known[at + 1]?.after ?? null
  const ids = await selectKeptContacts(tx, account, id, { position, upTo, limit: mostLooked })
  return { ids, fields }
}

/** Returns the number of restored contacts. */
async function complete(tx: Db, account: AccountId, id: string): Promise<number> {
  const row = await lockDelete(tx, account, id)
  if (!row?.restore || row.restore_status !== 'processing') return 0
  const isWhole = Number(row.kept_records) === 0
  await updateRestore(tx, account, id, {
    restore_status: 'completed',
    restore_activity_at: new Date(),
    ...(isWhole && { contents: 'returned' as const }),
  })
  return row.restore.restoredRecords
}
