import { z } from 'zod'
import { Instant } from '../jobs.ts'
import { Delivery, DeliveryStatus } from '../notifications.ts'
import { consumerCodes } from './instructions.ts'

/** States of a run, including one that does not exist yet (specification 1 §4). */
export const scheduleStatuses = ['waiting', 'processing', 'recovery', 'completed', 'terminated', 'upcoming'] as const
export const ScheduleStatus = z.enum(scheduleStatuses)
export type ScheduleStatus = z.output<typeof ScheduleStatus>

/**
 * States of a run as screens show them: `undelivered` is a completed run whose file could not be delivered. Older
 * clients read `status`, which has only the specified ones.
 */
export const runStates = [
  'waiting',
  'processing',
  'recovery',
  'completed',
  'undelivered',
  'terminated',
  'upcoming',
] as const
export const RunState = z.enum(runStates)
export type RunState = z.output<typeof RunState>

/** Maximum due times that are run again at once. */
export const mostBackfills = 100

/** Retries of a failed run before it is terminated. */
export const maxRecoveries = 5

/** A run of a cron. An upcoming run is computed, and has only its date. */
export const Schedule = z.object({
  /** For an upcoming run: the cron's id, `@` and the date. */
  _id: z.string(),
  cron: z.object({ _id: z.string(), name: z.string(), cronDesc: z.string() }),
  consumerCode: z.enum(consumerCodes),
  accountId: z.number(),
  /** When it is due; twice, because older clients use different names. */
  scheduleDate: Instant,
  date: Instant,
  status: ScheduleStatus,
  /** The status, or `undelivered`. */
  state: RunState,
  /** Counts the due times of the cron, from 1; null for Run now and upcoming runs. */
  runSequence: z.number().int().nullable(),
  startDate: Instant.nullable(),
  endDate: Instant.nullable(),
  processedRecords: z.number().nullable(),
  recoveryCount: z.number().int(),
  /** The worst status of its deliveries; null if it has none. */
  fileTransferStatus: DeliveryStatus.nullable(),
  /** Absolute URL of the call that returns a signed link to its file; null if there is none, or once it has expired. */
  fileUrl: z.string().nullable(),
  /** Why it was terminated or is late, in words for users. */
  comment: z.string().nullable(),
  /** Why it did not run at all. */
  omission: z.enum(['skipped', 'missed', 'overlapping']).nullable(),
  isRunNow: z.boolean(),
  /** It runs a past due time again. */
  isBackfill: z.boolean(),
})
export type Schedule = z.output<typeof Schedule>

export const ScheduleDetails = Schedule.extend({
  /** All attempts, in order. */
  attempts: z.array(
    z.object({
      startedAt: Instant,
      endedAt: Instant.nullable(),
      status: ScheduleStatus,
      processedRecords: z.number().nullable(),
      error: z.string().nullable(),
    }),
  ),
  deliveries: z.array(
    Delivery.extend({
      /** Where the cron's present settings would send it again; null if they have no such delivery. */
      resendTarget: z.string().nullable(),
    }),
  ),
  /** The export or report that it created; null if none was created or it no longer exists. */
  job: z.object({ kind: z.enum(['export', 'report']), _id: z.string(), name: z.string() }).nullable(),
})
export type ScheduleDetails = z.output<typeof ScheduleDetails>

/** Hours of the filter: the first hour, and the number of hours (specification 1 §9). */
export const hourFilters = ['0-6', '6-6', '0-12', '12-6', '18-6', '12-12', '0-24'] as const

/** Weekdays of the filter, 1 for Monday to 7 for Sunday. */
export const weekdayFilters = {
  'all week': [1, 2, 3, 4, 5, 6, 7],
  'Mon-Fri': [1, 2, 3, 4, 5],
  'Sat-Sun': [6, 7],
} as const
export const weekdayFilterNames = ['all week', 'Mon-Fri', 'Sat-Sun'] as const

/** Maximum runs of a day in the month. */
export const runsPerDay = 5

export const CalendarDay = z.object({
  day: z.iso.date(),
  /** Number of runs by state; states without runs are left out. */
  counts: z.partialRecord(RunState, z.number().int()),
  /** The first five, by due time. */
  runs: z.array(Schedule),
})
export type CalendarDay = z.output<typeof CalendarDay>
