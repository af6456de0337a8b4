import type { AccountId } from '@portico/contract/accounts'
import { mostKeptListed } from '@portico/contract/undo-limits'
import {
  analyzeContacts,
  buildContactIndexes,
  type ContactField,
  inTurn,
  listContactFields,
  lockContacts,
  selectContactsAfter,
} from '#contacts'
import { actsAsRefusal } from '#credentials'
import { ContactPace, worthAnalyzing } from '#deletes'
import {
  giveDedupKeys,
  importsWithOwnKeys,
  type KeyComputationRow,
  lockKeyComputation,
  updateKeyComputation,
} from '#imports'
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

type Deps = { database: Database; log: Logger }

// Shorter than PostgreSQL's deadlock timeout: the job gives way, not the other transaction.
const lockTimeout = '200ms'

/**
 * Computes dedup keys for contacts without one, in chunks, in the order of their ids; each chunk and the progress are one
 * transaction, so it is safe to interrupt and repeat. Of contacts with the same key, the first one gets it. Rejected when the
 * requester loses the right to it; keys that were given stay.
 */
export async function runKeyComputation(
  deps: Deps,
  account: AccountId,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const { db } = deps.database
  await runLocked<KeyComputationRow>(
    deps.database,
    { account, kind: 'keyComputation', id },
    {
      claim: () => claim(db, account, id),
      work: (row) => compute(deps, account, row, signal),
      explain: (error) => ({ reason: systemFailureReason(error), isFinal: false }),
      onEnd: async (_row, end) => {
        await endAttempt(db, account, id, end)
        return true
      },
    },
    signal,
  )
}

async function claim(db: Db, account: AccountId, id: string): Promise<KeyComputationRow | null> {
  const row = await lockKeyComputation(db, account, id)
  if (!row || (row.status !== 'waiting' && row.status !== 'processing')) return null
  return updateKeyComputation(db, account, id, {
    status: 'processing',
    stalled_attempts: row.stalled_attempts + 1,
    last_activity_at: new Date(),
  })
}

async function endAttempt(db: Db, account: AccountId, id: string, end: AttemptEnd): Promise<void> {
  const row = await lockKeyComputation(db, account, id)
  const progress = row && progressAtEnd({ stalledAttempts: row.stalled_attempts, reason: row.reason }, end)
  if (!progress) return
  await updateKeyComputation(db, account, id, {
    ...(end.kind === 'rejected' && { status: 'rejected' as const, last_activity_at: new Date() }),
    stalled_attempts: progress.stalledAttempts,
    reason: progress.reason,
  })
}

async function compute(deps: Deps, account: AccountId, row: KeyComputationRow, signal: AbortSignal): Promise<void> {
  const { db } = deps.database
  if (isStalled(row.stalled_attempts - 1)) throw new JobRefused(stalledReason())
  const refusal = await actsAsRefusal(deps.database, row.acts_as)
  if (refusal !== null) throw new JobRefused(refusal)
  const known = await listContactFields(db, account)
  const fields = row.fields.flatMap((id) => known.filter((field) => field.id === id))
  if (fields.length < row.fields.length) throw new JobRefused('A field of these dedup columns was deleted.')
  // An account without imports may not have them.
  await buildContactIndexes(db, account)
  const computing = { id: row.id, fields, exceptImports: await importsWithOwnKeys(db, account) }
  const subject = { account, computation: row.id }
  const pace = new ContactPace(known.length)
  while (await inTurn(deps, subject, signal, (tx) => computeChunk(tx, account, computing, pace)));
  const done = await inTurn(deps, subject, signal, (tx) => complete(tx, account, row.id))
  if (done >= worthAnalyzing) await analyzeContacts(db, account)
}

type Computing = { id: string; fields: ContactField[]; exceptImports: number[] }

/** Returns whether contacts were left. Keys that people write come before a chunk or after it. */
async function computeChunk(
  tx: Db,
  account: AccountId,
  { id, fields, exceptImports }: Computing,
  pace: ContactPace,
): Promise<boolean> {
  return withLock(tx, accountLock('unendedImports', account), async () => {
    const begun = performance.now()
    await setLocally(tx, 'lock_timeout', lockTimeout)
    const row = await lockKeyComputation(tx, account, id)
    if (row?.status !== 'processing') return false
    const next = { position: row.position, upTo: row.up_to, limit: pace.atOnce, exceptImports }
    const ids = await selectContactsAfter(tx, account, next)
    const last = ids.at(-1)
    if (last === undefined) return false
    const { keyed, blank, duplicates } = await giveDedupKeys(tx, account, await lockContacts(tx, account, ids), fields)
    await updateKeyComputation(tx, account, id, {
      position: last,
      processed_records: Number(row.processed_records) + ids.length,
      keyed_records: Number(row.keyed_records) + keyed,
      blank_records: Number(row.blank_records) + blank,
      duplicate_records: Number(row.duplicate_records) + duplicates.length,
      duplicates: JSON.stringify([...row.duplicates, ...duplicates].slice(0, mostKeptListed)),
      stalled_attempts: 0,
      last_activity_at: new Date(),
    })
    pace.took(performance.now() - begun)
    return true
  })
}

/** Returns the number of contacts that have been looked at. */
async function complete(tx: Db, account: AccountId, id: string): Promise<number> {
  const row = await lockKeyComputation(tx, account, id)
  if (row?.status !== 'processing') return 0
  const now = new Date()
  await updateKeyComputation(tx, account, id, {
    status: 'completed',
    completed_at: now,
    last_activity_at: now,
    stalled_attempts: 0,
  })
  return Number(row.processed_records)
}
