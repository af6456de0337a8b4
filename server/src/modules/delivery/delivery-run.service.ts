import type { AccountId } from '@portico/contract/identity'
import { inTransaction } from '#platform/database.ts'
import { JobInterrupted, type Jobs } from '#platform/jobs.ts'
import type { Logger } from '#platform/log.ts'
import type { Secrets } from '#platform/secrets.ts'
import {
  type DeliveryRow,
  insertAttempt,
  selectDelivery,
  updateAttemptEnded,
  updateDelivery,
} from './deliveries.queries.ts'
import { failureOf } from './delivery-failure.ts'
import { openSecrets } from './delivery-secrets.ts'
import { send, type SendDeps } from './delivery-send.service.ts'
import { runDeliveryJob } from './delivery.jobs.ts'

export type DeliveryDeps = SendDeps & { jobs: Jobs; log: Logger; sealer: Secrets }

const maxRecoveries = 5
const firstPauseMs = 30_000
// Clocks differ a little.
const slackMs = 1000
const stopped = 'The worker stopped during this attempt.'

/**
 * Makes the next attempt at a delivery, unless it has ended or its time has not come. An attempt is written down before it
 * is made, so that one during which the worker dies is in the log too. One that fails puts the next in line, at most five
 * times, each pause about four times the one before; what would fail again ends the delivery at once.
 */
export async function runDelivery(
  deps: DeliveryDeps,
  account: AccountId,
  deliveryId: string,
  signal: AbortSignal,
): Promise<void> {
  const row = await claim(deps, account, deliveryId)
  if (!row) return
  let result: string
  try {
    const secrets = openSecrets(deps.sealer, row.sealed_secrets, row.id)
    result = await send(deps, account, { id: row.id, settings: row.settings, secrets, file: row.file }, signal)
  } catch (error) {
    if (signal.aborted) return putBack(deps, account, row)
    deps.log.info({ err: error, account, delivery: row.id, attempt: row.attempt_count }, 'delivery attempt failed')
    const { message, isFinal } = failureOf(error)
    return failOrRetry(deps, account, row, message, isFinal)
  }
  await endAttempt(deps, account, row, true, result, { status: 'completed', result })
}

/** Begins an attempt. Answers nothing when there is none to be made. */
async function claim(deps: DeliveryDeps, account: AccountId, id: string): Promise<DeliveryRow | null> {
  const { db } = deps.database
  const before = await selectDelivery(db, account, id)
  if (!before || before.status === 'completed' || before.status === 'rejected') return null
  if (before.file === null && before.settings.type !== 'letter') return null
  if (before.next_attempt_at && before.next_attempt_at.getTime() > Date.now() + slackMs) {
    // Somebody else's clock was early, or a person was faster: the job for that time is this one's successor.
    await deps.jobs.enqueue(db, runDeliveryJob, { account, deliveryId: id }, { notBefore: before.next_attempt_at })
    return null
  }
  const isFirst = before.status === 'waiting'
  const wasCutShort = !isFirst && before.next_attempt_at === null
  if (wasCutShort && before.recovery_count >= maxRecoveries) {
    await endAttempt(deps, account, before, false, stopped, { status: 'rejected', result: tooOften(stopped) })
    return null
  }
  return inTransaction(db, async (tx) => {
    const now = new Date()
    if (wasCutShort) {
      const end = { ended_at: now, is_ok: false, result: stopped }
      await updateAttemptEnded(tx, account, { deliveryId: id, number: before.attempt_count }, end)
    }
    const number = before.attempt_count + 1
    const row = await updateDelivery(tx, account, before, {
      status: isFirst ? 'processing' : 'recovery',
      recovery_count: isFirst ? before.recovery_count : before.recovery_count + 1,
      attempt_count: number,
      next_attempt_at: null,
    })
    // Somebody else was faster.
    if (!row) return null
    await insertAttempt(tx, account, { delivery_id: id, number, asked_by: row.asked_by, started_at: now })
    return row
  })
}

async function failOrRetry(
  deps: DeliveryDeps,
  account: AccountId,
  row: DeliveryRow,
  reason: string,
  isFinal: boolean,
): Promise<void> {
  if (isFinal) return endAttempt(deps, account, row, false, reason, { status: 'rejected', result: reason })
  if (row.recovery_count >= maxRecoveries) {
    return endAttempt(deps, account, row, false, reason, { status: 'rejected', result: tooOften(reason) })
  }
  const next = new Date(Date.now() + pauseMs(row.recovery_count))
  await endAttempt(deps, account, row, false, reason, { status: 'recovery', result: reason, next_attempt_at: next })
}

/** Half a minute, then two, eight, 32 minutes, two hours; each up to a fifth longer or shorter, so that not all come at once. */
function pauseMs(recoveries: number): number {
  return firstPauseMs * 4 ** recoveries * (0.8 + Math.random() * 0.4)
}

function tooOften(reason: string): string {
  return `Tried again ${maxRecoveries} times without success. ${reason}`
}

/** In good order: this was no attempt that failed, and it is made again after the next start. */
async function putBack(deps: DeliveryDeps, account: AccountId, row: DeliveryRow): Promise<void> {
  await endAttempt(deps, account, row, false, 'The portal was stopped during this attempt.', {
    ...(row.recovery_count === 0
      ? { status: 'waiting' }
      : { status: 'recovery', recovery_count: row.recovery_count - 1, next_attempt_at: new Date() }),
    result: row.result,
  })
  throw new JobInterrupted()
}

type End = {
  status: DeliveryRow['status']
  result: string | null
  recovery_count?: number
  next_attempt_at?: Date
}

/** Writes down how an attempt went, and the delivery with it, unless another worker has taken over meanwhile. */
async function endAttempt(
  { database, jobs }: DeliveryDeps,
  account: AccountId,
  row: DeliveryRow,
  isOk: boolean,
  result: string,
  end: End,
): Promise<void> {
  await inTransaction(database.db, async (tx) => {
    const attempt = { deliveryId: row.id, number: row.attempt_count }
    await updateAttemptEnded(tx, account, attempt, { ended_at: new Date(), is_ok: isOk, result })
    const changed = await updateDelivery(tx, account, row, end)
    const notBefore = changed?.next_attempt_at
    if (notBefore) await jobs.enqueue(tx, runDeliveryJob, { account, deliveryId: row.id }, { notBefore })
  })
}
