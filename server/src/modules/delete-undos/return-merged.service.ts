import type { AccountId } from '@portico/contract/accounts'
import type { MissingRecords } from '@portico/contract/deletes'
import { revertMerge } from '#contact-edits'
import type { DeleteRow } from '#deletes'
import { findBrokenIndex } from '#indexes'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { JobRefused } from '#platform/jobs/job-runs.ts'
import { inSavepoint } from '#platform/rows/savepoint.ts'
import { rulesProblem } from './restore-rules.service.ts'
import { returnDeleted } from './return-contacts.service.ts'

type Outcome = Awaited<ReturnType<typeof returnDeleted>>
type Refused = Omit<MissingRecords['missing'][number], 'contact'>

/**
 * Undoes a merge: the contact into which another was merged is as it was before, as far as it was not changed since, and the
 * other one returns as in the undo of a delete. Both or neither.
 * @throws JobRefused
 */
export async function returnMerged(
  tx: Db,
  account: AccountId,
  row: DeleteRow,
  options: Parameters<typeof returnDeleted>[2],
): Promise<Outcome> {
  const { id: deleteId } = row
  const { actor } = options
  // The contact may have been merged into another one while the job waited.
  const problem = await rulesProblem(tx, account, row)
  if (problem !== null) throw new JobRefused(problem)
  try {
    return await inSavepoint(tx, async () => {
      const stay = await revertMerge(tx, account, { deleteId, actor })
      const done = await returnDeleted(tx, account, options)
      if (done.refused.length > 0) throw new NotReturned(done)
      return { ...done, lost: [...stay, ...done.lost] }
    })
  } catch (error) {
    if (error instanceof NotReturned) return error.outcome
    const refused = await refusalOf(tx, account, error)
    if (!refused) throw error
    const { ids } = options.contacts
    return { looked: 1, returned: 0, refused: [{ contact: ids[0] ?? '', ...refused }], lost: [] }
  }
}

/** Ends the part of the transaction in which a contact could not return. */
class NotReturned extends Error {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    super('the merged contact cannot return')
    this.outcome = outcome
  }
}

/** Why the contact that stayed cannot get its earlier values; null for any other error. */
async function refusalOf(tx: Db, account: AccountId, error: unknown): Promise<Refused | null> {
  if (error instanceof AppError && error.code === 'key_taken') {
    // As thrown by `revertMerge`.
    const { fields } = error.details as { fields: string[] }
    return { fields, reason: 'key_taken' }
  }
  const broken = await findBrokenIndex(tx, account, error)
  return broken && { fields: broken.fields, reason: 'value_taken' }
}
