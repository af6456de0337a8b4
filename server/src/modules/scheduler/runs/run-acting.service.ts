import type { NotActing } from '#access'
import { actingHolder, type StoredRequest } from '#credentials'
import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import type { Consumer, RunRefusal } from '../consumers.ts'
import { instructionOf } from '../crons/found-cron.ts'
import { type SavedCron, savingCall, savingRefusal } from '../crons/saved-cron.ts'
import type { CronRow } from '../tables.ts'

/** Ends a run for good; the message is for users. */
export class RunRefused extends Error {
  readonly refusal: RunRefusal

  constructor(refusal: RunRefusal) {
    super(refusal.reason)
    this.refusal = refusal
  }
}

/**
 * The caller whose rights a run has, and the request that would save its cron as it is: without that right, results of
 * the run can no longer be used.
 */
type RunActing = { caller: Caller; saving: StoredRequest }

/**
 * Returns the identity that a cron acts as, with its present rights: for all work of a run and later deliveries. It
 * must be allowed to save the cron as it is and to have its runs.
 * @throws RunRefused if it may no longer have such runs
 */
export async function requireActing(
  { pool }: Pick<Database, 'pool'>,
  consumer: Consumer,
  cron: SavedCron & Pick<CronRow, 'account_id' | 'holder'>,
): Promise<RunActing> {
  const { account_id: account, holder } = cron
  const acting = holder === null ? unknownHolder : await actingHolder(pool, account, holder)
  if (!('caller' in acting)) throw new RunRefused({ reason: withAdvice(acting) })
  const { caller } = acting
  const instruction = instructionOf(cron)
  const refusal = await consumer.refusal(account, caller, instruction)
  if (refusal) throw new RunRefused(refusal)
  const saving = savingCall(cron)
  const notSaved = (await savingRefusal(account, consumer, saving, instruction))(caller)
  if (notSaved !== null) {
    throw new RunRefused({ reason: `${caller.email} may not save this schedule as it is. ${notSaved} ${takeOver}` })
  }
  return { caller, saving }
}

const takeOver = 'A power user can take the cron over.'

/** Taking a cron over opens no account. */
const withAdvice = ({ refusal, because }: NotActing): string =>
  because === 'account' ? refusal : `${refusal} ${takeOver}`

const unknownHolder: NotActing = { refusal: 'Its author no longer has access to this account.' }
