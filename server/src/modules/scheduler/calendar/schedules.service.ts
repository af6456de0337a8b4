import type { AccountId } from '@portico/contract/accounts'
import type { Delivery } from '@portico/contract/notifications'
import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import type { Schedule, ScheduleDetails } from '@portico/contract/scheduler/schedules'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import type { Database, Db } from '#platform/database.ts'
import { type Secrets, SecretUnreadable } from '#platform/secrets.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'
import { withLock } from '#platform/waits/locks.ts'
import type { Consumer, Consumers, PresentSettings } from '../consumers.ts'
import { openCronSecrets } from '../crons/cron-secrets.ts'
import { consumerOf, instructionOf, requireCron } from '../crons/found-cron.ts'
import { requireActing, RunRefused } from '../runs/run-acting.service.ts'
import type { CronRow, StoredAttempt } from '../tables.ts'
import { toSchedule, toSchedules, toUpcoming } from './schedule-on-wire.ts'
import { type ListedRun, type RunFilter, selectRun, selectRuns, selectRunsById } from './schedules.queries.ts'
import { listUpcomingRuns } from './upcoming.service.ts'
import { isRowNumber } from '#platform/ids.ts'

/** Returns stored runs, latest due time first. */
export async function listSchedules(
  db: Db,
  account: AccountId,
  consumers: Consumers,
  filter: RunFilter,
  page: { limit: number; skip: number },
): Promise<Schedule[]> {
  return toSchedules(db, account, consumers, await selectRuns(db, account, filter, page))
}

/** Returns runs by their ids, first due time first. */
export async function listSchedulesById(
  db: Db,
  account: AccountId,
  consumers: Consumers,
  ids: readonly string[],
): Promise<Schedule[]> {
  return toSchedules(db, account, consumers, await selectRunsById(db, account, ids))
}

/** Returns runs that are not stored yet, by due time. @throws too_many_runs naming `field` for more than 10,000 */
export async function listUpcomingSchedules(
  db: Db,
  account: AccountId,
  range: Parameters<typeof listUpcomingRuns>[2],
): Promise<Schedule[]> {
  const runs = await listUpcomingRuns(db, account, range)
  return runs.map((run) => toUpcoming(account, run))
}

/** @throws not_found */
export async function getSchedule(
  { db, consumers, sealer }: RunReader,
  account: AccountId,
  id: string,
  code?: ConsumerCode,
): Promise<ScheduleDetails> {
  const run = await requireRun(db, account, id, code)
  const consumer = consumerOf(consumers, run.consumer)
  const jobId = run.job_id
  const present = presentSettings(sealer, run, await requireCron(db, account, run.cron_id))
  const state = jobId === null ? undefined : (await consumer.states(db, account, [jobId])).get(jobId)
  return {
    ...toSchedule(run, state),
    attempts: run.attempts.map(toAttempt),
    deliveries:
      jobId !== null && state ? withTargets(consumer, await consumer.deliveries(account, jobId), present) : [],
    job: jobId !== null && state ? { kind: consumer.job, _id: jobId, name: state.name } : null,
  }
}

function toAttempt(attempt: StoredAttempt): ScheduleDetails['attempts'][number] {
  const instant = (text: string): string => new Date(text).toISOString()
  const { startedAt, endedAt } = attempt
  return { ...attempt, startedAt: instant(startedAt), endedAt: endedAt === null ? null : instant(endedAt) }
}

type RunReader = { db: Db; consumers: Consumers; sealer: Secrets }

/** The present settings of a run's cron. Null: its passwords cannot be decrypted. */
function presentSettings(sealer: Secrets, run: ListedRun, cron: CronRow): PresentSettings | null {
  try {
    const { password = '', instruction: secrets = null } = openCronSecrets(sealer, cron)
    const transfer = cron.transfer && { ...cron.transfer, password }
    const kept = { instruction: instructionOf(cron), secrets }
    return { emails: cron.emails, dueAt: run.due_at, zone: cron.zone, kept, transfer }
  } catch (error) {
    if (error instanceof SecretUnreadable) return null
    throw error
  }
}

const withTargets = (consumer: Consumer, deliveries: readonly Delivery[], present: PresentSettings | null) =>
  deliveries.map((delivery) => ({
    ...delivery,
    resendTarget: present && consumer.target(present, delivery.kind),
  }))

/**
 * Sends a delivery of a run again, by the present settings and identity of its cron: a file made for another identity
 * is not sent to any of its destinations.
 * @throws not_found; not_ready with the reason; unavailable while a field is being changed
 */
export async function resendDelivery(
  reader: RunReader & { database: Pick<Database, 'pool'> },
  account: AccountId,
  by: Actor,
  ids: { id: string; delivery: string },
): Promise<Delivery> {
  // The delivery is stored with the names that fields have now: a rename comes before this or follows it.
  return withLock(reader.db, accountLock('fieldChanges', account), (tx) =>
    resendInTurn({ ...reader, db: tx }, account, by, ids),
  )
}

async function resendInTurn(
  { db, consumers, sealer, database }: RunReader & { database: Pick<Database, 'pool'> },
  account: AccountId,
  by: Actor,
  { id, delivery }: { id: string; delivery: string },
): Promise<Delivery> {
  const run = await requireRun(db, account, id)
  if (run.job_id === null) throw new AppError('not_found')
  const cron = await requireCron(db, account, run.cron_id)
  const present = presentSettings(sealer, run, cron)
  if (!present) throw new AppError('not_ready', undefined, 'The stored password cannot be decrypted. Enter it again.')
  const consumer = consumerOf(consumers, run.consumer)
  const { caller, saving } = await requireActing(database, consumer, cron).catch((error: unknown) => {
    throw error instanceof RunRefused ? new AppError('not_ready', undefined, error.message) : error
  })
  return consumer.resend(
    db,
    account,
    by,
    { jobId: run.job_id, deliveryId: delivery },
    {
      ...present,
      holder: caller.holder,
      saving,
    },
  )
}

/** Null for runs of other accounts too. */
export async function findRun(db: Db, account: AccountId, id: string): Promise<ListedRun | null> {
  return (isRowNumber(id) && (await selectRun(db, account, id))) || null
}

/** @throws not_found, also for runs of other accounts */
async function requireRun(db: Db, account: AccountId, id: string, code?: ConsumerCode): Promise<ListedRun> {
  const run = await findRun(db, account, id)
  if (!run || (code !== undefined && run.consumer !== code)) throw new AppError('not_found')
  return run
}
