import type { AccountId } from '@portico/contract/accounts'
import { inTransaction } from '#platform/database.ts'
import { updateJobRow } from '#platform/jobs/job-rows.ts'
import { type AttemptEnd, retryPauseMs, spentReason, uncounted } from '#platform/jobs/job-runs.ts'
import type { JobAttempt } from '#platform/jobs/jobs.ts'
import { claimJob, runAttempt } from '#platform/jobs/run-attempt.ts'
import type { Logger } from '#platform/log.ts'
import type { Secrets } from '#platform/secrets.ts'
import {
  type DeliveryColumns,
  deliveryJobs,
  type DeliveryRow,
  insertAttempt,
  selectDelivery,
  updateAttemptEnded,
} from './deliveries.queries.ts'
import { failureOf, traceOf } from './delivery-failure.ts'
import { type DeliverySecrets, openSecrets } from './delivery-secrets.ts'
import { send, type SendDeps, type Sent } from './delivery-send.service.ts'
import { enqueueAttempt } from './delivery-queue.service.ts'
import { outcomeOf } from './hidden-values.ts'
import { recordEmail, type SentEmail } from './send-email.ts'

export type DeliveryDeps = SendDeps & { log: Logger; sealer: Secrets }

// Tolerates small clock differences.
const slackMs = 1000
const stopped = 'The worker stopped during this attempt.'

/**
 * Makes the next attempt at a delivery, unless the delivery has ended or is not due yet. The attempt is recorded before
 * it starts, so an attempt during which the worker died is in the log too. A failed attempt enqueues the next, at most
 * five times, with pauses that grow by a factor of four; a final failure ends the delivery at once.
 */
export async function runDelivery(
  deps: DeliveryDeps,
  account: AccountId,
  deliveryId: string,
  signal: AbortSignal,
  attempt?: JobAttempt,
): Promise<void> {
  let secrets: DeliverySecrets = {}
  await runAttempt<DeliveryRow, Sent>(
    {
      claim: () => claim(deps, account, deliveryId, attempt),
      work: (row) => {
        secrets = openSecrets(deps.sealer, row.sealed_secrets, row.id)
        const { id, settings, file, remote_name: remoteName } = row
        return send(deps, account, { id, settings, secrets, file, remoteName }, signal)
      },
      onDone: async (row, sent) => {
        const result = outcomeOf(row.settings, secrets)(sent.result)
        await endAttempt(deps, account, row, { isOk: true, result }, { status: 'completed', result }, sent.email)
      },
      explain: (error, row) => {
        const { message, isFinal } = failureOf(error)
        return { reason: outcomeOf(row.settings, secrets)(message), isFinal }
      },
      recoveries: (row) => row.recovery_count,
      onEnd: (row, end) => endFailedAttempt(deps, account, row, end, attempt),
      enqueuesRetries: true,
    },
    signal,
  )
}

/** Begins an attempt. Returns null if none is due. */
async function claim(
  deps: DeliveryDeps,
  account: AccountId,
  id: string,
  attempt: JobAttempt | undefined,
): Promise<DeliveryRow | null> {
  const { db } = deps.database
  return claimJob(
    attempt,
    () => selectDelivery(db, account, id),
    async (before, claimed) => {
      const { file, settings, next_attempt_at: dueAt, attempt_count: count } = before
      if (file === null && settings.type !== 'letter') return null
      if (dueAt && dueAt.getTime() > Date.now() + slackMs) {
        // The clock of another worker was fast, or a user has sent it again in the meantime: enqueue a job for the due
        // time.
        await enqueueAttempt(db, deps.jobs, account, before, { notBefore: dueAt })
        return null
      }
      const wasCutShort = claimed.status === 'recovery' && dueAt === null
      const spent = wasCutShort ? spentReason(claimed, stopped) : null
      if (spent !== null) {
        const end = { status: 'rejected' as const, result: spent }
        const isEnded = await endAttempt(deps, account, before, { isOk: false, result: stopped }, end)
        return isEnded ? null : undefined
      }
      return inTransaction(db, async (tx) => {
        const now = new Date()
        if (wasCutShort) {
          const end = { ended_at: now, is_ok: false, result: stopped }
          await updateAttemptEnded(tx, account, { deliveryId: id, number: count }, end)
        }
        const number = count + 1
        const change = { ...claimed, attempt_count: number, next_attempt_at: null }
        const row = await updateJobRow(tx, account, deliveryJobs, before, change)
        if (!row) return undefined
        await insertAttempt(tx, account, { delivery_id: id, number, asked_by: row.asked_by, started_at: now })
        return row
      })
    },
  )
}

async function endFailedAttempt(
  deps: DeliveryDeps,
  account: AccountId,
  row: DeliveryRow,
  end: AttemptEnd,
  attempt: JobAttempt | undefined,
): Promise<boolean> {
  if (end.kind === 'interrupted') {
    const undone = { isOk: false, result: 'The portal was stopped during this attempt.' }
    return endAttempt(deps, account, row, undone, columnsBefore(row))
  }
  const { error, failure: result } = end
  // Not the error itself: messages of libraries repeat URLs and headers, which may contain secrets.
  const what = { account, delivery: row.id, attempt: row.attempt_count, reason: result, ...traceOf(error) }
  deps.log.info(what, 'delivery attempt failed')
  const columns: DeliveryColumns =
    end.kind === 'rejected'
      ? { status: 'rejected', result: end.reason }
      : {
          status: 'recovery',
          result,
          next_attempt_at: new Date(Date.now() + retryPauseMs(row.recovery_count)),
          ...(!end.counts && { recovery_count: uncounted(row, attempt) }),
        }
  return endAttempt(deps, account, row, { isOk: false, result }, columns)
}

/** The columns of a delivery as if its attempt had not been made, so the attempt is repeated after the next start. */
function columnsBefore(row: DeliveryRow): DeliveryColumns {
  if (row.recovery_count === 0) return { status: 'waiting' }
  return { status: 'recovery', recovery_count: row.recovery_count - 1, next_attempt_at: new Date() }
}

/** Records the outcome of an attempt and of its delivery. Returns false if another attempt has claimed the delivery. */
async function endAttempt(
  { database, jobs }: DeliveryDeps,
  account: AccountId,
  row: DeliveryRow,
  { isOk, result }: { isOk: boolean; result: string },
  columns: DeliveryColumns,
  email?: SentEmail,
): Promise<boolean> {
  return inTransaction(database.db, async (tx) => {
    const attempt = { deliveryId: row.id, number: row.attempt_count }
    await updateAttemptEnded(tx, account, attempt, { ended_at: new Date(), is_ok: isOk, result })
    const changed = await updateJobRow(tx, account, deliveryJobs, row, columns)
    if (email) {
      const via = { kind: 'portal' as const, name: 'Delivery' }
      await recordEmail(tx, account, { actor: row.file?.maker?.email ?? 'portico', address: null, via }, email)
    }
    const notBefore = changed?.next_attempt_at
    if (notBefore) await enqueueAttempt(tx, jobs, account, row, { notBefore })
    return changed !== undefined
  })
}
