import type { AccountId } from '@portico/contract/accounts'
import { revertMerge } from '#contact-edits'
import type { DeleteRow } from '#deletes'
import type { Db } from '#platform/database.ts'
import { JobRefused } from '#platform/jobs/job-runs.ts'
import { inSavepoint } from '#platform/rows/savepoint.ts'
import { rulesProblem } from './restore-rules.service.ts'
import { refusalOf, returnDeleted } from './return-contacts.service.ts'

type Outcome = Awaited<ReturnType<typeof returnDeleted>>

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
