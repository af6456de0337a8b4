import type { AccountId } from '@portico/contract/accounts'
import type { DeleteRecord } from '@portico/contract/deletes'
import { recordAudit } from '#audit'
import { hasUnendedRetype } from '#contacts'
import { requireActsAs } from '#credentials'
import {
  type DeleteRow,
  findDelete,
  lockDelete,
  restoreProblem,
  type RestoreProgress,
  toDeleteRecord,
  updateRestore,
} from '#deletes'
import { countUnendedImports, runImportJob } from '#imports'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'
import { withLock } from '#platform/waits/locks.ts'
import { rulesProblem } from './restore-rules.service.ts'
import { mergeRefusal } from './undo-rights.ts'

/**
 * Queues the job that undoes a delete. It takes turns with the account's imports: those submitted later start after it.
 * @throws not_found, also for ids of other accounts; not_restorable with the reason; import_running; field_busy while a
 * field's type is being changed; not_allowed
 */
export async function restoreDelete(
  { db, jobs }: { db: Db; jobs: Jobs },
  account: AccountId,
  { by, caller }: { by: Actor; caller: Caller },
  id: string,
): Promise<DeleteRecord> {
  const found = requireRestorable(await findDelete(db, account, id))
  const request = { params: { id }, query: {}, body: undefined }
  const storing = { account, call: 'restoreDelete' as const, request }
  const { actsAs } = await requireActsAs(caller, storing, (actor) => mergeRefusal(actor, found))
  return withLock(db, accountLock('unendedImports', account), async (tx) => {
    if ((await countUnendedImports(tx, account)) > 0) throw new AppError('import_running', undefined, notNow)
    if (await hasUnendedRetype(tx, account)) throw new AppError('field_busy', undefined, notWhileRetyped)
    const row = requireRestorable(await lockDelete(tx, account, id))
    const problem = await rulesProblem(tx, account, row)
    if (problem !== null) throw new AppError('not_restorable', undefined, problem)
    const waiting = await updateRestore(tx, account, id, {
      restore_status: 'waiting',
      restored_by: by.actor,
      restore_requested_at: new Date(),
      restore_activity_at: null,
      restore_acts_as: JSON.stringify(actsAs),
      restore: JSON.stringify(progressFrom(row.restore)),
    })
    await jobs.enqueue(tx, runImportJob, { account, restoredDelete: id }, { person: by.actor })
    const kept = Number(row.kept_records)
    const subject = kept === 1 ? '1 contact' : `${kept} contacts`
    await recordAudit(tx, {
      account,
      ...by,
      action: row.merged_into === null ? 'delete undone' : 'merge undone',
      subject,
      details: { delete: id },
    })
    return toDeleteRecord(waiting)
  })
}

const notWhileRetyped = 'The type of a field is being changed. Undo the delete when that has ended.'
const notNow = 'An import is running or waiting. Undo the delete when it has ended.'

/** @throws not_found, not_restorable */
function requireRestorable(row: DeleteRow | undefined): DeleteRow {
  if (!row) throw new AppError('not_found')
  const problem = restoreProblem(row)
  if (problem !== null) throw new AppError('not_restorable', undefined, problem)
  return row
}

/**
 * The initial progress. After an undo that was rejected or incomplete, counting continues from its figures; the
 * remaining contacts are examined again.
 */
function progressFrom(before: RestoreProgress | null): RestoreProgress {
  return {
    position: '-1',
    restoredRecords: before?.restoredRecords ?? 0,
    missingRecords: 0,
    missingValues: before?.missingValues ?? 0,
    missing: before?.missing.filter(({ reason }) => reason === 'retyped') ?? [],
    stalledAttempts: 0,
    reason: null,
  }
}
