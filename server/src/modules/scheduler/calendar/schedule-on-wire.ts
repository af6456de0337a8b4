import type { AccountId } from '@portico/contract/accounts'
import { describeCron } from '@portico/domain/scheduler/cron-parts'
import type { Schedule } from '@portico/contract/scheduler/schedules'
import type { DeliveryStatus } from '@portico/contract/notifications'
import type { Db } from '#platform/database.ts'
import type { Consumers, JobState } from '../consumers.ts'
import { timingOf } from '../crons/cron-timing.ts'
import { consumerOf } from '../crons/found-cron.ts'
import { stateOf } from '../run-state.ts'
import type { ListedRun } from './schedules.queries.ts'
import type { UpcomingRun } from './upcoming.service.ts'

/** Converts runs to what the API returns, with the state of their jobs. */
export async function toSchedules(
  db: Db,
  account: AccountId,
  consumers: Consumers,
  runs: readonly ListedRun[],
): Promise<Schedule[]> {
  const states = new Map<ListedRun, JobState>()
  for (const [code, ofConsumer] of Map.groupBy(runs, ({ consumer }) => consumer)) {
    const ids = ofConsumer.flatMap(({ job_id: id }) => id ?? [])
    const found = ids.length > 0 ? await consumerOf(consumers, code).states(db, account, ids) : new Map()
    for (const run of ofConsumer) {
      const state: unknown = run.job_id === null ? undefined : found.get(run.job_id)
      if (state) states.set(run, state as JobState)
    }
  }
  return runs.map((run) => toSchedule(run, states.get(run)))
}

export function toSchedule(run: ListedRun, state: JobState | undefined): Schedule {
  const dueAt = run.due_at.toISOString()
  return {
    _id: run.id,
    cron: { _id: run.cron_id, name: run.name, cronDesc: describeCron(timingOf(run)) },
    consumerCode: run.consumer,
    accountId: run.account_id,
    scheduleDate: dueAt,
    date: dueAt,
    status: run.status,
    state: stateOf(run),
    runSequence: run.sequence,
    startDate: run.started_at?.toISOString() ?? null,
    endDate: run.ended_at?.toISOString() ?? null,
    processedRecords: run.processed_records === null ? (state?.records ?? null) : Number(run.processed_records),
    recoveryCount: run.recovery_count + (state?.recoveryCount ?? 0),
    fileTransferStatus: worstOf((state?.deliveries ?? []).map(({ status }) => status)),
    fileUrl: state?.fileUrl ?? null,
    comment: run.comment,
    omission: run.omission,
    isRunNow: run.is_run_now && !run.is_backfill,
    isBackfill: run.is_backfill,
  }
}

/** From best to worst. */
const order: readonly DeliveryStatus[] = ['completed', 'processing', 'waiting', 'recovery', 'rejected']

function worstOf(statuses: readonly DeliveryStatus[]): DeliveryStatus | null {
  return order.findLast((status) => statuses.includes(status)) ?? null
}

export function toUpcoming(account: AccountId, { cron, dueAt }: UpcomingRun): Schedule {
  const date = dueAt.toISOString()
  return {
    _id: `${cron.id}@${date}`,
    cron: { _id: cron.id, name: cron.name, cronDesc: describeCron(timingOf(cron)) },
    consumerCode: cron.consumer,
    accountId: account,
    scheduleDate: date,
    date,
    status: 'upcoming',
    state: 'upcoming',
    runSequence: null,
    startDate: null,
    endDate: null,
    processedRecords: null,
    recoveryCount: 0,
    fileTransferStatus: null,
    fileUrl: null,
    comment: null,
    omission: null,
    isRunNow: false,
    isBackfill: false,
  }
}
