import { z } from 'zod'
import { Instant } from './jobs.ts'
import { Count } from './list-query.ts'
import { Delivery } from './notifications.ts'
import type { Route } from './route.ts'
import { CronTestResult, cronTestParts } from './scheduler/cron-tests.ts'
import { Cron, cronBodyBytes, CronDraft } from './scheduler/crons.ts'
import { ConsumerCode } from './scheduler/instructions.ts'
import {
  CalendarDay,
  hourFilters,
  RunState,
  Schedule,
  ScheduleDetails,
  ScheduleStatus,
  weekdayFilterNames,
} from './scheduler/schedules.ts'
import { isTimeZone } from '@portico/domain/scheduler/zone-offsets'
import { versionOfChange } from './versions.ts'

/** A moment with any offset. */
const Moment = z.iso.datetime({ offset: true })

/** Empty means all (specification 1 §2). */
const StatusFilter = z.union([z.literal('').transform(() => undefined), ScheduleStatus]).optional()
const StateFilter = z.union([z.literal('').transform(() => undefined), RunState]).optional()

/** In the query for older clients, in the body for others. */
const codeQuery = z.object({ consumerCode: ConsumerCode.optional() })

const cronsPath = '/scheduler/v1/crons'
const schedulesPath = '/scheduler/v1/schedules'
const params = z.object({ id: z.string() })
const testParams = z.object({ part: z.enum(cronTestParts) })
const testErrors = ['too_many_requests', 'limit_reached'] as const

export const cronSorts = ['name', 'cronStart', 'cronEnd', 'cronRepeat', 'createdAt', 'nextRunAt'] as const

const cronsApi = {
  /** With `instances`: the upcoming runs of active crons until that moment, at most 10,000. */
  listCrons: {
    method: 'GET',
    path: cronsPath,
    summary: 'List or count the crons of a consumer by name, or list their upcoming runs',
    access: 'scheduler::crons::get',
    query: z.strictObject({
      consumerCode: ConsumerCode,
      terminated: z.enum(['true', 'false']).optional().describe('Without it: both.'),
      instances: Moment.optional().describe('ISO end: answer the upcoming runs up to it instead of crons.'),
      from: Moment.optional().describe('ISO start of `instances`: now at the earliest, and without it.'),
      cronId: z.uuid().optional().describe('With `instances`: of this cron only.'),
      search: z.string().trim().max(200).optional().describe('Part of the name or of an email, in any letter case.'),
      sort: z.enum(cronSorts).default('name'),
      order: z.enum(['1', '-1']).default('1').describe('1 is ascending, -1 descending.'),
      instruction: z.enum(['true', 'false']).default('true').describe('"false" leaves instructions out.'),
      limit: z.coerce.number().int().min(1).max(10_000).default(10_000),
      skip: z.coerce.number().int().min(0).default(0),
      count: z.string().optional().describe('With any value: answer {count} instead of the list.'),
    }),
    reply: z.union([z.array(Cron), z.array(Schedule), Count]),
    errors: ['too_many_runs', 'timed_out'],
  },
  getCron: {
    method: 'GET',
    path: `${cronsPath}/:id`,
    summary: 'Get a cron with its instruction',
    access: 'scheduler::crons::get',
    params,
    query: codeQuery,
    reply: Cron,
    errors: ['not_found'],
  },
  createCron: {
    method: 'POST',
    path: cronsPath,
    summary: 'Schedule exports or reports',
    access: 'scheduler::crons::post',
    stores: { what: 'work', does: 'schedule anything' },
    query: codeQuery,
    body: CronDraft,
    maxBytes: cronBodyBytes,
    reply: Cron,
    status: 201,
    errors: ['limit_reached', 'invalid_filter'],
  },
  /** Takes the whole cron. Its timing stays; `terminated` ends it with all runs that have not begun. */
  updateCron: {
    method: 'PUT',
    path: `${cronsPath}/:id`,
    summary: 'Change or terminate a cron',
    access: 'scheduler::crons::put',
    stores: { what: 'work', does: 'schedule anything' },
    params,
    query: codeQuery,
    body: CronDraft,
    maxBytes: cronBodyBytes,
    reply: Cron,
    errors: ['not_found', 'cron_terminated', 'newer_version'],
  },
  /**
   * `transfer` uploads a small file and removes it again; `email` goes only to the caller; `cells` counts the rows that
   * the tables and charts of a run would have now, with the rights that the cron will have.
   */
  testCron: {
    method: 'POST',
    path: `${cronsPath}/tests/:part`,
    summary: 'Test the SFTP server, the email, or the tables and charts of a report before its cron is saved',
    access: 'scheduler::crons::post',
    stores: false,
    params: testParams,
    query: codeQuery,
    body: CronDraft,
    maxBytes: cronBodyBytes,
    reply: CronTestResult,
    errors: testErrors,
  },
  /** Uses the password that the cron keeps, for the same server. */
  testCronChange: {
    method: 'POST',
    path: `${cronsPath}/:id/tests/:part`,
    summary: 'Test a change of a report’s cron in the same way',
    access: 'scheduler::crons::put',
    stores: false,
    params: params.extend(testParams.shape),
    query: codeQuery,
    body: CronDraft,
    maxBytes: cronBodyBytes,
    reply: CronTestResult,
    errors: ['not_found', 'cron_terminated', ...testErrors],
  },
  pauseCron: {
    method: 'POST',
    path: `${cronsPath}/:id/pause`,
    summary: 'Pause a cron: what becomes due meanwhile is skipped',
    access: 'scheduler::crons::put',
    stores: false,
    isJudgedAsStored: true,
    params,
    body: z.strictObject({ reason: z.string().trim().max(300).default('') }),
    reply: Cron,
    errors: ['not_found', 'cron_terminated'],
  },
  resumeCron: {
    method: 'POST',
    path: `${cronsPath}/:id/resume`,
    summary: 'Resume a paused cron',
    access: 'scheduler::crons::put',
    stores: { what: 'work', does: 'schedule anything' },
    isJudgedAsStored: true,
    params,
    reply: Cron,
    errors: ['not_found', 'cron_terminated'],
  },
  runCronNow: {
    method: 'POST',
    path: `${cronsPath}/:id/run`,
    summary: 'Run a cron now, besides its due times',
    access: 'scheduler::crons::put',
    stores: { what: 'work', does: 'schedule anything' },
    isJudgedAsStored: true,
    params,
    reply: Schedule,
    status: 202,
    errors: ['not_found', 'cron_terminated', 'run_waiting'],
  },
  skipRun: {
    method: 'POST',
    path: `${cronsPath}/:id/skips`,
    summary: 'Skip one upcoming run of a cron',
    access: 'scheduler::crons::put',
    stores: false,
    isJudgedAsStored: true,
    params,
    body: z.strictObject({ date: Moment.describe('The due time of the run.') }),
    reply: Schedule,
    status: 201,
    errors: ['not_found', 'cron_terminated'],
  },
  /** The runs wait for each other, and for the due times of the cron. Those already waiting are not created twice. */
  backfillCron: {
    method: 'POST',
    path: `${cronsPath}/:id/backfills`,
    summary: 'Run past due times of a cron again, each with its own window of dates',
    access: 'scheduler::crons::put',
    stores: { what: 'work', does: 'schedule anything' },
    isJudgedAsStored: true,
    params,
    body: z.strictObject({
      from: Moment.describe('The first due time, or a moment before it.'),
      to: Moment.optional().describe('The last moment, included. Without it: `from` only.'),
      which: z
        .enum(['all', 'unsuccessful'])
        .default('all')
        .describe('`unsuccessful`: only due times without a run that was completed and delivered.'),
    }),
    reply: z.object({ count: z.number().int(), runs: z.array(Schedule) }),
    status: 202,
    errors: ['not_found', 'cron_terminated'],
  },
  takeOverCron: {
    method: 'POST',
    path: `${cronsPath}/:id/author`,
    summary: 'Let a cron run with one’s own rights',
    access: 'scheduler::crons::put',
    stores: { what: 'work', does: 'schedule anything' },
    isJudgedAsStored: true,
    params,
    body: z.strictObject(versionOfChange),
    reply: Cron,
    errors: ['not_found', 'cron_terminated', 'newer_version'],
  },
} as const satisfies Record<string, Route>

const schedulesApi = {
  listSchedules: {
    method: 'GET',
    path: schedulesPath,
    summary: 'List the runs of a consumer or of one cron by due time, the latest first',
    access: 'scheduler::schedules::get',
    query: z.strictObject({
      consumerCode: ConsumerCode.optional().describe('Required unless there is a `cronId`.'),
      cronId: z.uuid().optional(),
      from: Moment.optional().describe('ISO start of the due times.'),
      to: Moment.optional().describe('ISO end of the due times, excluded.'),
      start: Moment.optional().describe('The same as `from`.'),
      end: Moment.optional().describe('The same as `to`.'),
      status: StatusFilter.describe('Empty: all that are made. `upcoming` needs an end.'),
      state: StateFilter.describe('As `status`, with runs that were not delivered apart from completed ones.'),
      limit: z.coerce.number().int().min(1).max(10_000).default(1000),
      skip: z.coerce.number().int().min(0).default(0),
    }),
    reply: z.array(Schedule),
    errors: ['too_many_runs'],
  },
  getCalendar: {
    method: 'GET',
    path: '/scheduler/v1/calendar',
    summary: 'Get the number of runs by day and status, with the first five of each day',
    access: 'scheduler::schedules::get',
    query: z.strictObject({
      consumerCode: ConsumerCode,
      from: z.iso.date().describe('The first day.'),
      to: z.iso.date().describe('The last day, at most 45 after the first.'),
      zone: z.string().refine(isTimeZone).describe('IANA time zone of the days and hours.'),
      status: StatusFilter,
      state: StateFilter,
      weekdays: z.enum(weekdayFilterNames).default('all week'),
      hours: z.enum(hourFilters).default('0-24').describe('First hour and number of hours: 18-6 is 18:00 to 24:00.'),
    }),
    reply: z.object({ asOf: Instant, days: z.array(CalendarDay) }),
    errors: ['too_many_runs'],
  },
  getSchedule: {
    method: 'GET',
    path: `${schedulesPath}/:id`,
    summary: 'Get a run with its attempts and deliveries',
    access: 'scheduler::schedules::get',
    params,
    query: codeQuery,
    reply: ScheduleDetails,
    errors: ['not_found'],
  },
  resendScheduleDelivery: {
    method: 'POST',
    path: `${schedulesPath}/:id/deliveries/:delivery/resend`,
    summary: 'Retry a delivery of a run now',
    access: 'scheduler::crons::put',
    stores: { what: 'work', does: 'send deliveries again' },
    isJudgedAsStored: true,
    params: params.extend({ delivery: z.string() }),
    reply: Delivery,
    errors: ['not_found', 'not_ready'],
  },
} as const satisfies Record<string, Route>

export const schedulerApi = { ...cronsApi, ...schedulesApi } as const
