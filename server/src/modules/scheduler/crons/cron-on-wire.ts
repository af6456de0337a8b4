import { isSameCaller } from '@portico/contract/email-address'
import { describeCron } from '@portico/domain/scheduler/cron-parts'
import type { KeptCron } from '@portico/contract/scheduler/cron-problems'
import type { Cron } from '@portico/contract/scheduler/crons'
import { changedValues } from '#audit'
import { withoutSecrets } from '#delivery'
import type { Caller } from '#platform/http/context.ts'
import type { CronRow } from '../tables.ts'
import { stateOf } from '../run-state.ts'
import type { ListedCron } from './crons.queries.ts'
import { timingOf } from './cron-timing.ts'

/** Returns whether the caller may take over a cron of another person. */
export const mayTakeOver = ({ id, author }: Pick<CronRow, 'id' | 'author'>, caller: Caller): boolean =>
  !isSameCaller(author, caller.email) &&
  caller.administers('scheduler::crons::put', { params: [id], query: {}, body: {} })

export function toCron(row: ListedCron, caller: Caller): Cron {
  const { transfer } = row
  const isActive = row.terminated_at === null
  return {
    _id: row.id,
    version: row.version,
    name: row.name,
    consumerCode: row.consumer,
    notificationEmails: row.emails,
    cronTZ: row.zone,
    cron: row.expression,
    cronDesc: describeCron(timingOf(row)),
    cronStart: row.starts,
    cronEnd: row.ends,
    cronRepeat: row.repeats,
    terminated: !isActive,
    instruction: withoutSecrets(row.instruction),
    transferProtocol: transfer?.protocol ?? '',
    ftpHost: transfer?.host ?? '',
    ftpFolder: transfer?.folder ?? '',
    ftpPort: transfer?.port ?? null,
    ftpUser: transfer?.user ?? '',
    createdAt: row.created_at.toISOString(),
    lastComletedScheduleId: row.last_id,
    nextScheduleId: isActive ? row.next_id : null,
    author: row.author,
    paused:
      row.paused_at && isActive
        ? { reason: row.pause_reason ?? '', since: row.paused_at.toISOString(), by: row.paused_by ?? '' }
        : null,
    lastRun:
      row.last_status && row.last_ended_at
        ? {
            status: row.last_status,
            state: stateOf({ status: row.last_status, is_undelivered: row.last_is_undelivered ?? false }),
            date: row.last_ended_at.toISOString(),
          }
        : null,
    nextRunAt: isActive && !row.paused_at ? (row.next_due_at?.toISOString() ?? null) : null,
    mayTakeOver: isActive && mayTakeOver(row, caller),
  }
}

type CronSettings = Pick<
  CronRow,
  'name' | 'consumer' | 'emails' | 'zone' | 'expression' | 'starts' | 'ends' | 'repeats' | 'terminated_at'
> &
  Pick<CronRow, 'instruction' | 'transfer'>

/** Converts the stored cron to the form that checks of a change compare. */
export function toKeptCron(row: CronSettings, hasPassword: boolean): KeptCron {
  const { transfer } = row
  return {
    name: row.name,
    consumerCode: row.consumer,
    notificationEmails: row.emails,
    cronTZ: row.zone,
    cron: row.expression,
    cronStart: row.starts,
    cronEnd: row.ends,
    cronRepeat: row.repeats,
    terminated: row.terminated_at !== null,
    instruction: row.instruction,
    transferProtocol: transfer?.protocol ?? '',
    ftpHost: transfer?.host ?? '',
    ftpFolder: transfer?.folder ?? '',
    ftpPort: transfer?.port ?? null,
    ftpUser: transfer?.user ?? '',
    hasPassword,
  }
}

type Change = Pick<CronRow, 'name' | 'emails' | 'transfer'> & { instruction: object; hasPassword: boolean }

/** Returns the properties of a cron that a change replaces; those of the instruction as `instruction.download`. */
export function changedFields(before: CronRow, { hasPassword, instruction, ...change }: Change): string[] {
  const [old, now] = [toKeptCron(before, false), toKeptCron({ ...before, ...change }, hasPassword)]
  const inside = Object.keys(changedValues(before.instruction, { ...instruction }))
  const outside = Object.keys(changedValues({ ...old }, { ...now }))
  return [
    ...outside.map((field) => (field === 'hasPassword' ? 'ftpPass' : field)),
    ...inside.map((field) => `instruction.${field}`),
  ]
}
