import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import type { JobSource, ListedJob, Registration } from '#platform/registration.ts'
import { cronFields } from './crons/field-uses.ts'
import { cronFilters } from './crons/filter-uses.queries.ts'
import { type FailedRuns, schedulesMark, selectFailedRuns } from './registration.queries.ts'

/** Registers the calendar as a list with live updates, and runs that did not start in recent activity. */
export const schedulerRegistrations: readonly Registration[] = [
  { fieldUses: [cronFields], filterUses: [cronFilters] },
  { changes: [{ list: 'schedules', action: 'scheduler::schedules::get', mark: schedulesMark }] },
  { jobs: failedRuns('scheduled export', 'EXPORT') },
  { jobs: failedRuns('scheduled report', 'BI') },
]

function failedRuns(kind: JobSource['kind'], consumer: ConsumerCode): JobSource {
  return {
    kind,
    action: 'scheduler::schedules::get',
    list: async ({ db }, account, { limit, skip }) => {
      const rows = await selectFailedRuns(db, account, consumer, { limit: limit ?? 10, skip: skip ?? 0 })
      return rows.map(toListed)
    },
  }
}

function toListed({ id, name, author, comment, count, ended_at: endedAt, due_at: dueAt }: FailedRuns): ListedJob {
  const reason = comment ?? 'It did not start.'
  return {
    _id: id,
    name,
    status: 'rejected',
    recoveryError: count > 1 ? `${count.toLocaleString('en-US')} runs: ${reason}` : reason,
    creator: author,
    lastActivityDate: endedAt.toISOString(),
    creationDate: dueAt.toISOString(),
    processedRecords: null,
  }
}
