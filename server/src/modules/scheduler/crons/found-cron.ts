import type { AccountId } from '@portico/contract/accounts'
import type { ConsumerCode, Instruction } from '@portico/contract/scheduler/instructions'
import { requireActor } from '#access'
import type { StoredRequest } from '#credentials'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import type { Consumer, Consumers } from '../consumers.ts'
import type { CronRow } from '../tables.ts'
import { savingRefusal } from './saved-cron.ts'
import { type ListedCron, lockCron, selectCron } from './crons.queries.ts'
import { isUuid } from '#platform/ids.ts'

/** @throws not_found, also for crons of other accounts and, if a code is given, of other consumers */
export async function requireCron(
  db: Db,
  account: AccountId,
  id: string,
  consumer?: ConsumerCode,
): Promise<ListedCron> {
  const row = isUuid(id) ? await selectCron(db, account, id) : undefined
  if (!row || (consumer !== undefined && row.consumer !== consumer)) throw new AppError('not_found')
  return row
}

/** Locks an active cron until the end of the transaction. @throws not_found, cron_terminated */
export async function requireActiveCron(tx: Db, account: AccountId, id: string): Promise<CronRow> {
  const row = isUuid(id) ? await lockCron(tx, account, id) : undefined
  if (!row) throw new AppError('not_found')
  if (row.terminated_at) throw new AppError('cron_terminated')
  return row
}

export function consumerOf(consumers: Consumers, code: ConsumerCode): Consumer {
  const consumer = consumers.get(code)
  if (!consumer) throw new Error(`no consumer ${code}`)
  return consumer
}

/**
 * The work of runs, and the request that saves their cron; null for runs of a stored cron, which acts as its own
 * identity.
 */
type WantedRuns = { instruction: Instruction; saving: StoredRequest | null }

/**
 * Returns the caller's first identity that by itself may save such a cron and have its runs now, with its rights only:
 * the runs will have these rights.
 * @throws not_allowed with the reason
 */
export async function actorForRuns(
  account: AccountId,
  caller: Caller,
  consumer: Pick<Consumer, 'refusal' | 'writtenOut'>,
  { instruction, saving }: WantedRuns,
): Promise<Caller> {
  const notSaved = saving && (await savingRefusal(account, consumer, saving, instruction))
  return requireActor(caller, async (actor) => {
    const refusal = await consumer.refusal(account, actor, instruction)
    const message = refusal?.reason ?? (notSaved && notSaved(actor))
    return message === null ? null : { code: 'not_allowed', message }
  })
}

/** Returns the holder whose rights a caller's cron will have. @throws not_allowed with the reason */
export async function holderForRuns(...asked: Parameters<typeof actorForRuns>): Promise<string> {
  return (await actorForRuns(...asked)).holder
}

/** Returns the instruction of a stored cron; it was checked when it was saved. */
export const instructionOf = ({ instruction }: Pick<CronRow, 'instruction'>): Instruction =>
  // Only checked instructions are stored.
  instruction as unknown as Instruction
