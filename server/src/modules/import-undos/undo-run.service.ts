import type { AccountId } from '@portico/contract/accounts'
import type { UndoFigures } from '@portico/contract/import-undo'
import { mostKeptListed } from '@portico/contract/undo-limits'
import { countUpContactsVersion } from '#accounts'
import { isEdited, laterEdits } from '#contact-edits'
import { analyzeContacts, hasEnteredKeys, inTurn, listContactFields, lockContacts } from '#contacts'
import { actsAsRefusal, grantRefusal } from '#credentials'
import { ContactPace, removeContacts, worthAnalyzing } from '#deletes'
import { deleteUnusedFields } from '#fields'
import {
  analyzeEvents,
  deleteImportedEvents,
  type FinishedImport,
  lockImport,
  recordKept,
  releaseEmptied,
  returnChangedValues,
  selectCreatedContacts,
  selectKeptContacts,
  selectRecordedContacts,
  selectUnused,
  type UndoProgress,
  updateUndo,
} from '#imports'
import type { Database, Db } from '#platform/database.ts'
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
import type { FieldUses } from '#platform/rows/field-uses.ts'
import { newFields } from './new-fields.service.ts'
import { rightsOfUndo } from './undo-rights.ts'

/** `uses`: finders, from all modules, of stored items that name fields. */
type Deps = { database: Database; log: Logger; uses: readonly FieldUses[] }

/**
 * Undoes an import in chunks: deletes the contacts it created, then restores the values it changed, then hides the
 * fields it created that are unused; of an import of events, deletes these. Each chunk and the progress are one transaction, so it is safe to interrupt and
 * repeat. Rejected when the requester loses the right to it; completed chunks are kept.
 */
export async function runUndo(deps: Deps, account: AccountId, importId: number, signal: AbortSignal): Promise<void> {
  const { db } = deps.database
  await runLocked<FinishedImport>(
    deps.database,
    { account, kind: 'importUndo', id: importId },
    {
      claim: () => claim(db, account, importId),
      work: (row) => takeBack(deps, account, row, signal),
      explain: (error) => ({ reason: systemFailureReason(error), isFinal: false }),
      onEnd: async (_row, end) => {
        await endAttempt(db, account, importId, end)
        return true
      },
    },
    signal,
  )
}

async function claim(db: Db, account: AccountId, importId: number): Promise<FinishedImport | null> {
  // The previous process may have stopped between a commit and counting it.
  await countUpContactsVersion(db, account)
  const row = await lockImport(db, account, importId)
  if (!row || (row.undo_status !== 'waiting' && row.undo_status !== 'processing')) return null
  const { undo } = row
  const claimed = undo && { ...undo, stalledAttempts: undo.stalledAttempts + 1 }
  return updateUndo(db, account, importId, {
    undo_status: 'processing',
    undo_activity_at: new Date(),
    undo: JSON.stringify(claimed),
  })
}

async function endAttempt(db: Db, account: AccountId, importId: number, end: AttemptEnd): Promise<void> {
  const row = await lockImport(db, account, importId)
  const progress = row?.undo ? progressAtEnd(row.undo, end) : null
  if (progress === null) return
  await updateUndo(db, account, importId, {
    ...(end.kind === 'rejected' && { undo_status: 'rejected' as const, undo_activity_at: new Date() }),
    undo: JSON.stringify(progress),
  })
}

async function takeBack(deps: Deps, account: AccountId, row: FinishedImport, signal: AbortSignal): Promise<void> {
  const { db } = deps.database
  if (isStalled((row.undo?.stalledAttempts ?? 0) - 1)) throw new JobRefused(stalledReason())
  const refusal = await refusalOf(deps.database, account, row)
  if (refusal !== null) throw new JobRefused(refusal)
  const isOfEvents = row.kind === 'events'
  const steps = isOfEvents ? [removeEvents] : [removeCreated, returnChanged]
  const fields = await listContactFields(db, account)
  for (const step of steps) {
    const pace = new ContactPace(isOfEvents ? 1 : fields.length)
    const chunk = (tx: Db) => nextChunk(tx, account, row.id, { step, pace })
    while (await inTurn(deps, { account, undo: row.id }, signal, chunk)) await countUpContactsVersion(db, account)
  }
  await inTurn(deps, { account, undo: row.id }, signal, (tx) => release(tx, account, row.id))
  if (!isOfEvents) await removeNewFields(deps, account, row, signal)
  const done = await inTurn(deps, { account, undo: row.id }, signal, (tx) => complete(tx, account, row.id))
  await countUpContactsVersion(db, account)
  if (done >= worthAnalyzing) await (isOfEvents ? analyzeEvents : analyzeContacts)(db, account)
}

async function removeNewFields(
  { database: { db }, uses }: Deps,
  account: AccountId,
  row: FinishedImport,
  signal: AbortSignal,
): Promise<void> {
  const made = await newFields(db, account, row.id)
  const by = { actor: row.undone_by ?? 'portico', address: null, via: { kind: 'portal' as const, name: 'Undo import' } }
  const onDeleted = (tx: Db, names: readonly string[]) => recordRemoved(tx, account, row.id, names)
  await deleteUnusedFields({ db, uses, signal, onDeleted }, account, by, made)
}

/**
 * Returns the reason for refusing the undo, if its requester lost the right while it waited or since its last attempt.
 */
async function refusalOf(database: Database, account: AccountId, row: FinishedImport): Promise<string | null> {
  const { undo_acts_as: actsAs } = row
  if (actsAs === null) return null
  const { holder } = actsAs
  let refusal = await actsAsRefusal(database, actsAs)
  for (const { access } of rightsOfUndo) {
    refusal ??= await grantRefusal(database, { account, holder, access, request: 'any' })
  }
  return refusal
}

/** The progress after a chunk, and whether more of the same kind may follow. */
type Chunk = { progress: UndoProgress; hasMore: boolean }
type Step = (
  tx: Db,
  account: AccountId,
  row: FinishedImport,
  next: { progress: UndoProgress; limit: number },
) => Promise<Chunk>

async function nextChunk(
  tx: Db,
  account: AccountId,
  importId: number,
  { step, pace }: { step: Step; pace: ContactPace },
): Promise<boolean> {
  const begun = performance.now()
  const row = await lockImport(tx, account, importId)
  if (!row?.undo || row.undo_status !== 'processing') return false
  const { progress, hasMore } = await step(tx, account, row, { progress: row.undo, limit: pace.atOnce })
  // Only then has the attempt moved anything.
  if (progress === row.undo) return hasMore
  const undo = JSON.stringify({ ...progress, stalledAttempts: 0 })
  await updateUndo(tx, account, importId, { undo, undo_activity_at: new Date() })
  pace.took(performance.now() - begun)
  return hasMore
}

async function removeEvents(
  tx: Db,
  account: AccountId,
  { id }: FinishedImport,
  { progress, limit }: Parameters<Step>[3],
): Promise<Chunk> {
  const { eventsUpTo: position } = progress
  const deleted = await deleteImportedEvents(tx, account, id, { position, limit })
  if (!deleted) return { progress, hasMore: false }
  const { removed } = await removeUnused(tx, account, id, deleted.contacts)
  const next = {
    ...progress,
    eventsUpTo: deleted.last,
    removedEvents: progress.removedEvents + deleted.count,
    removedOthers: (progress.removedOthers ?? 0) + removed,
  }
  return { progress: next, hasMore: true }
}

/**
 * Deletes those of these contacts that only stayed because of this import when the one that created them was taken back.
 * Returns their number and the others, locked.
 */
async function removeUnused(
  tx: Db,
  account: AccountId,
  importId: number,
  ids: readonly string[],
): Promise<{ removed: number; others: string[] }> {
  const present = await lockContacts(tx, account, ids)
  const unused = await selectUnused(tx, account, importId, { ids: present, isEdited })
  await removeContacts(tx, account, unused)
  const gone = new Set(unused)
  return { removed: unused.length, others: present.filter((id) => !gone.has(id)) }
}

async function removeCreated(
  tx: Db,
  account: AccountId,
  { id }: FinishedImport,
  { progress, limit }: Parameters<Step>[3],
): Promise<Chunk> {
  const { createdUpTo: position } = progress
  if (position === null) return { progress, hasMore: false }
  const ids = await selectCreatedContacts(tx, account, id, { position, limit })
  const last = ids.at(-1)
  if (last === undefined) return { progress: { ...progress, createdUpTo: null }, hasMore: false }
  const present = await lockContacts(tx, account, ids)
  const kept = await selectKeptContacts(tx, account, id, { ids: present, isEdited })
  const stays = new Set(kept.map(({ contact }) => contact))
  const removed = present.filter((contact) => !stays.has(contact))
  await recordKept(
    tx,
    account,
    id,
    kept.map(({ contact }) => contact),
  )
  await removeContacts(tx, account, removed)
  const next = {
    ...progress,
    createdUpTo: last,
    removedContacts: progress.removedContacts + removed.length,
    keptContacts: progress.keptContacts + kept.length,
    kept: listed(
      progress,
      kept.map((each) => ({ ...each, field: null })),
    ),
  }
  return { progress: next, hasMore: true }
}

async function returnChanged(
  tx: Db,
  account: AccountId,
  row: FinishedImport,
  { progress, limit }: Parameters<Step>[3],
): Promise<Chunk> {
  const { changedUpTo: position } = progress
  const ids = await selectRecordedContacts(tx, account, row.id, { position, limit })
  const last = ids.at(-1)
  if (last === undefined) return { progress, hasMore: false }
  const { removed, others } = await removeUnused(tx, account, row.id, ids)
  const { returned, keptCount, kept } = await returnChangedValues(tx, account, row, {
    ids: others,
    limit: mostKeptListed,
    edits: laterEdits,
  })
  const next = {
    ...progress,
    changedUpTo: last,
    removedOthers: (progress.removedOthers ?? 0) + removed,
    returnedContacts: progress.returnedContacts + returned,
    keptValues: progress.keptValues + keptCount,
    kept: listed(progress, kept),
  }
  return { progress: next, hasMore: true }
}

const listed = ({ kept: before }: UndoProgress, kept: UndoFigures['kept']): UndoFigures['kept'] =>
  [...before, ...kept].slice(0, mostKeptListed)

/**
 * An import's rules identify contacts. Those of an import without contacts no longer bind and use no fields, unless
 * contacts entered in a form have keys, which may follow its rules. Nor does an import of events use its key field any more.
 */
async function release(tx: Db, account: AccountId, importId: number): Promise<void> {
  const row = await lockImport(tx, account, importId)
  if (row?.undo && row.undo_status === 'processing') {
    const hasRules = row.kind === 'contacts'
    const isBound = await hasEnteredKeys(tx, account)
    await updateUndo(tx, account, importId, { binds: hasRules && (row.undo.keptContacts > 0 || isBound) })
    if (!isBound) await releaseEmptied(tx, account)
  }
}

async function recordRemoved(tx: Db, account: AccountId, importId: number, names: readonly string[]): Promise<void> {
  const row = await lockImport(tx, account, importId)
  if (!row?.undo || row.undo_status !== 'processing') return
  const removedFields = [...new Set([...row.undo.removedFields, ...names])]
  const undo = JSON.stringify({ ...row.undo, removedFields, stalledAttempts: 0 })
  await updateUndo(tx, account, importId, { undo, undo_activity_at: new Date() })
}

/** Returns the number of contacts and events removed or changed. */
async function complete(tx: Db, account: AccountId, importId: number): Promise<number> {
  const row = await lockImport(tx, account, importId)
  if (!row?.undo || row.undo_status !== 'processing') return 0
  const undo = { ...row.undo, stalledAttempts: 0 }
  await updateUndo(tx, account, importId, {
    undo_status: 'completed',
    undo_activity_at: new Date(),
    undo: JSON.stringify(undo),
  })
  return undo.removedContacts + (undo.removedOthers ?? 0) + undo.returnedContacts + undo.removedEvents
}
