import type { ConsumerCode, Instruction } from '@portico/contract/scheduler/instructions'
import { CronDraft } from '@portico/contract/scheduler/crons'
import type { AccountId } from '@portico/contract/accounts'
import { callRefusal, type StoredRequest } from '#credentials'
import type { Caller } from '#platform/http/context.ts'
import type { Consumer } from '../consumers.ts'
import type { CronRow } from '../tables.ts'
import { toKeptCron } from './cron-on-wire.ts'

/** The settings of a stored cron, and when it was saved. */
export type SavedCron = Parameters<typeof toKeptCron>[0] & Pick<CronRow, 'id' | 'created_at' | 'updated_at'>

/**
 * Returns the request that would save a stored cron as it is now, without its password: by `PUT` if it was changed or
 * taken over. Its runs are checked by this request, so that later changes of rights and conditions apply to them too.
 */
export function savingCall(cron: SavedCron): StoredRequest {
  const isChanged = cron.updated_at > cron.created_at
  return saveOf(settingsOf(cron), isChanged ? cron.id : null)
}

function settingsOf(cron: SavedCron): object {
  const { hasPassword: _, ...kept } = toKeptCron(cron, false)
  return { ...kept, terminated: false }
}

/** Returns the request that would change a stored cron to what it is. */
export const changingCall = (cron: SavedCron): StoredRequest => saveOf(settingsOf(cron), cron.id)

/** The same for a draft being saved. `id`: of the cron it changes; null for a new one. */
export function savingCallOf(draft: CronDraft, code: ConsumerCode, id: string | null): StoredRequest {
  const { ftpPass: _, version: __, ...kept } = draft
  return saveOf({ ...kept, consumerCode: code }, id)
}

/**
 * Returns why a caller may not save a cron; null if they may. Checked as sent or stored, and also with everything
 * written out that selects rows in its runs (ADR 0116).
 */
export async function savingRefusal(
  account: AccountId,
  consumer: Pick<Consumer, 'writtenOut'>,
  saving: StoredRequest,
  instruction: Instruction,
): Promise<(caller: Caller) => string | null> {
  const calls = await savesOf(account, consumer, saving, instruction)
  return (caller) => calls.map((call) => callRefusal(caller, call)).find((refusal) => refusal !== null) ?? null
}

/** The calls that save a cron: as it was sent or is stored, and with what selects rows in its runs written out. */
export async function savesOf(
  account: AccountId,
  consumer: Pick<Consumer, 'writtenOut'>,
  saving: StoredRequest,
  instruction: Instruction,
): Promise<StoredRequest[]> {
  const { request } = saving
  const writtenOut = await consumer.writtenOut(account, instruction)
  const body = { ...Object(request.body), instruction: writtenOut }
  return [saving, ...(writtenOut === instruction ? [] : [{ ...saving, request: { ...request, body } }])]
}

function saveOf(body: object, id: string | null): StoredRequest {
  const read = CronDraft.safeParse(body)
  const request = { params: id === null ? [] : [id], query: {}, body: read.success ? read.data : body }
  return { call: id === null ? 'createCron' : 'updateCron', request }
}
