import type { AccountId } from '@portico/contract/accounts'
import { inTransaction } from '#platform/database.ts'
import {
  claimOf,
  failOrRetry,
  hasEnded,
  hasNoRecoveryLeft,
  noRecoveryLeftReason,
  onceBack,
  retryPauseMs,
} from '#platform/jobs/job-runs.ts'
import type { JobAttempt } from '#platform/jobs/jobs.ts'
import type { Logger } from '#platform/log.ts'
import type { Secrets } from '#platform/secrets.ts'
import {
  type DeliveryRow,
  insertAttempt,
  selectDelivery,
  updateAttemptEnded,
  updateDelivery,
} from './deliveries.queries.ts'
import { failureOf, traceOf } from './delivery-failure.ts'
import { type DeliverySecrets, openSecrets } from './delivery-secrets.ts'
import { send, type SendDeps, type Sent } from './delivery-send.service.ts'
import { outcomeOf } from './hidden-values.ts'
import { recordEmail, type SentEmail } from './send-email.ts'
import { jobOf } from './delivery.jobs.ts'

export type DeliveryDeps = SendDeps & { log: Logger; sealer: Secrets }

// Tolerates small clock differences.
const slackMs = 1000
const stopped = 'The worker stopped during this attempt.'

/**
 * Makes the next attempt at a delivery, unless it has ended or is not due yet. The attempt is recorded before it starts, so
 * that the log also has one during which the worker died. A failed attempt enqueues the next, at most five times, with
 * pauses that grow by a factor of four; a final failure ends the delivery at once.
 */
export async function runDelivery(
  deps: DeliveryDeps,
  account: AccountId,
  deliveryId: string,
  signal: AbortSignal,
  attempt?: JobAttempt,
): Promise<void> {
  const row = await claim(deps, account, deliveryId, attempt)
  if (!row) return
  let sent: Sent
  let secrets: DeliverySecrets = {}
  try {
    secrets = openSecrets(deps.sealer, row.sealed_secrets, row.id)
    const { id, settings, file, remote_name: remoteName } = row
    sent = await send(deps, account, { id, settings, secrets, file, remoteName }, signal)
  } catch (error) {
    const { message, isFinal } = failureOf(error)
    const failure = { error, reason: outcomeOf(row.settings, secrets)(message), isFinal }
    return endFailedAttempt(deps, account, row, failure, signal.aborted)
  }
  // Recorded even if the database is away for a moment: otherwise it would be sent again.
  const { email } = sent
  const result = outcomeOf(row.settings, secrets)(sent.result)
  await onceBack(() => endAttempt(deps, account, row, true, result, { status: 'completed', result, email }))
}

async function endFailedAttempt(
  deps: DeliveryDeps,
  account: AccountId,
  row: DeliveryRow,
  { error, reason: result, isFinal }: { error: unknown; reason: string; isFinal: boolean },
  isInterrupted: boolean,
): Promise<void> {
  if (!isInterrupted) {
    // Not the error itself: messages of libraries repeat URLs and headers, and so secrets.
    const what = { account, delivery: row.id, attempt: row.attempt_count, reason: result, ...traceOf(error) }
    deps.log.info(what, 'delivery attempt failed')
  }
  await failOrRetry({
    error,
    isInterrupted,
    explain: () => ({ reason: result, isFinal }),
    recoveryCount: row.recovery_count,
    release: () => release(deps, account, row),
    reject: (reason) => endAttempt(deps, account, row, false, result, { status: 'rejected', result: reason }),
    retry: async () => {
      const next = new Date(Date.now() + retryPauseMs(row.recovery_count))
      await endAttempt(deps, account, row, false, result, { status: 'recovery', result, next_attempt_at: next })
    },
  })
}

/** Claims the delivery and begins an attempt. Returns null when no attempt is due. */
async function claim(
  deps: DeliveryDeps,
  account: AccountId,
  id: string,
  attempt?: JobAttempt,
): Promise<DeliveryRow | null> {
  const { db } = deps.database
  const before = await selectDelivery(db, account, id)
  if (!before || hasEnded(before.status)) return null
  if (before.file === null && before.settings.type !== 'letter') return null
  if (before.next_attempt_at && before.next_attempt_at.getTime() > Date.now() + slackMs) {
    // Another worker's clock was early, or a user sent it again first: enqueue a job for the time that is due.
    await deps.jobs.enqueue(
      db,
      jobOf(before.settings),
      { account, deliveryId: id },
      { notBefore: before.next_attempt_at },
    )
    return null
  }
  const claimed = claimOf(before, attempt)
  const wasCutShort = claimed.status === 'recovery' && before.next_attempt_at === null
  if (wasCutShort && !attempt?.isAfterOutage && hasNoRecoveryLeft(before.recovery_count)) {
    const end = { status: 'rejected' as const, result: noRecoveryLeftReason(stopped) }
    await endAttempt(deps, account, before, false, stopped, end)
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
      ...claimed,
      attempt_count: number,
      next_attempt_at: null,
    })
    // Another worker claimed it first.
    if (!row) return null
    await insertAttempt(tx, account, { delivery_id: id, number, asked_by: row.asked_by, started_at: now })
    return row
  })
}

/** Undoes the attempt, so that it is made again after the next start. */
async function release(deps: DeliveryDeps, account: AccountId, row: DeliveryRow): Promise<void> {
  await endAttempt(deps, account, row, false, 'The portal was stopped during this attempt.', {
    ...(row.recovery_count === 0
      ? { status: 'waiting' }
      : { status: 'recovery', recovery_count: row.recovery_count - 1, next_attempt_at: new Date() }),
    result: row.result,
  })
}

type End = {
  status: DeliveryRow['status']
  result: string | null
  recovery_count?: number
  next_attempt_at?: Date
  /** Goes into the audit log. */
  email?: SentEmail | undefined
}

/** Records the outcome of an attempt and of its delivery, unless another worker has taken over. */
async function endAttempt(
  { database, jobs }: DeliveryDeps,
  account: AccountId,
  row: DeliveryRow,
  isOk: boolean,
  result: string,
  { email, ...end }: End,
): Promise<void> {
  await inTransaction(database.db, async (tx) => {
    const attempt = { deliveryId: row.id, number: row.attempt_count }
    await updateAttemptEnded(tx, account, attempt, { ended_at: new Date(), is_ok: isOk, result })
    const changed = await updateDelivery(tx, account, row, end)
    if (email) {
      const by = {
        actor: row.file?.maker?.email ?? 'portico',
        address: null,
        via: { kind: 'portal' as const, name: 'Delivery' },
      }
      await recordEmail(tx, account, by, email)
    }
    const notBefore = changed?.next_attempt_at
    if (notBefore) await jobs.enqueue(tx, jobOf(row.settings), { account, deliveryId: row.id }, { notBefore })
  })
}
