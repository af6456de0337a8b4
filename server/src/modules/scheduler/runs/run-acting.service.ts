import { actingHolder } from '#credentials'
import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import type { Consumer, RunRefusal } from '../consumers.ts'
import { instructionOf } from '../crons/found-cron.ts'
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
 * The identity that a cron acts as, with its rights of now: whatever a run does, and whatever is sent of it later.
 * @throws RunRefused where it may have no such runs any more
 */
export async function requireActing(
  { pool }: Pick<Database, 'pool'>,
  consumer: Consumer,
  cron: Pick<CronRow, 'account_id' | 'holder' | 'instruction'>,
): Promise<Caller> {
  const { account_id: account, holder } = cron
  const acting = holder === null ? unknownHolder : await actingHolder(pool, account, holder)
  if (!('caller' in acting)) throw new RunRefused({ reason: `${acting.refusal} A power user can take the cron over.` })
  const refusal = await consumer.refusal(account, acting.caller, instructionOf(cron))
  if (refusal) throw new RunRefused(refusal)
  return acting.caller
}

const unknownHolder = { refusal: 'Its author no longer has access to this account.' }
