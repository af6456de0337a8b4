import type { AccountId } from '@portico/contract/accounts'
import type { Import } from '@portico/contract/imports'
import { recordAudit } from '#audit'
import { type ActsAs, requireActsAs } from '#credentials'
import { hasUnendedRetype } from '#contacts'
import {
  countUnendedImports,
  type FinishedImport,
  findImport,
  lockImport,
  runImportJob,
  toImport,
  type UndoProgress,
  undoProblem,
  updateUndo,
} from '#imports'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Caller, Refusal } from '#platform/http/context.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'
import { withLock } from '#platform/waits/locks.ts'
import { rightsOfUndo } from './undo-rights.ts'

/**
 * Queues the job that undoes an import. It takes turns with the account's imports: those submitted later start after
 * it.
 * @throws not_found, also for ids of other accounts; not_undoable with the reason; import_running; field_busy while a
 * field's type is being changed; not_allowed
 */
export async function undoImport(
  { db, jobs }: { db: Db; jobs: Jobs },
  account: AccountId,
  { by, caller }: { by: Actor; caller: Caller },
  id: string,
): Promise<Import> {
  requireUndoable(await findImport(db, account, id))
  const request = { params: { id }, query: {}, body: undefined }
  const { actsAs } = await requireActsAs(caller, { account, call: 'undoImport', request }, (actor) =>
    rightsOfUndo.reduce<Refusal | null>((refusal, right) => refusal ?? actor.refusal(right, 'any'), null),
  )
  return queueUndo({ db, jobs }, account, { by, actsAs }, id)
}

/**
 * Queues the job with the rights of `actsAs`, which the worker checks again. Null: no rights are checked, as for the
 * demo.
 * @throws not_found, not_undoable, import_running, field_busy
 */
export async function queueUndo(
  { db, jobs }: { db: Db; jobs: Jobs },
  account: AccountId,
  { by, actsAs }: { by: Actor; actsAs: ActsAs | null },
  id: string,
): Promise<Import> {
  return withLock(db, accountLock('unendedImports', account), async (tx) => {
    if ((await countUnendedImports(tx, account)) > 0) throw new AppError('import_running', undefined, notNow)
    if (await hasUnendedRetype(tx, account)) throw new AppError('field_busy', undefined, notWhileRetyped)
    const row = await lockImport(tx, account, Number(id))
    if (!row) throw new AppError('not_found')
    requireUndoable(row)
    const undone = await updateUndo(tx, account, row.id, {
      undo_status: 'waiting',
      undone_by: by.actor,
      undo_requested_at: new Date(),
      undo_activity_at: null,
      undo_acts_as: actsAs && JSON.stringify(actsAs),
      undo: JSON.stringify(progressFrom(row.undo)),
    })
    await jobs.enqueue(tx, runImportJob, { account, importId: row.id, undoes: true }, { person: by.actor })
    const details = { id: row.id }
    await recordAudit(tx, { account, ...by, action: 'import taken back', subject: row.name, details })
    return toImport(account, undone)
  })
}

const notWhileRetyped = 'The type of a field is being changed. Take the import back when that has ended.'
const notNow = 'An import is running or waiting. Take this one back when it has ended.'

/** @throws not_undoable */
export function requireUndoable(row: FinishedImport): void {
  const problem = undoProblem(row)
  if (problem !== null) throw new AppError('not_undoable', undefined, problem)
}

/**
 * The initial progress. After a rejected undo, counting continues from its figures; rows that it kept are examined
 * again.
 */
function progressFrom(before: UndoProgress | null): UndoProgress {
  return {
    createdUpTo: '0',
    changedUpTo: '0',
    // Deleted events do not return.
    eventsUpTo: before?.eventsUpTo ?? null,
    removedEvents: before?.removedEvents ?? 0,
    removedContacts: before?.removedContacts ?? 0,
    removedOthers: before?.removedOthers ?? 0,
    returnedContacts: before?.returnedContacts ?? 0,
    // The records of kept values are already deleted.
    keptValues: before?.keptValues ?? 0,
    keptContacts: 0,
    removedFields: before?.removedFields ?? [],
    kept: before?.kept.filter(({ field }) => field !== null) ?? [],
    stalledAttempts: 0,
    reason: null,
  }
}
