import { z } from 'zod'
import { Instant, JobStatus } from './jobs.ts'
import type { Route } from './route.ts'

/** A job of the account, or a scheduled one that did not start, as shown in recent activity and notifications. */
export const Activity = z.object({
  kind: z.enum(['import', 'export', 'report', 'scheduled export', 'scheduled report']),
  _id: z.string(),
  name: z.string(),
  status: JobStatus,
  /** Why it was rejected, in words for people. */
  reason: z.string().nullable(),
  creator: z.string(),
  /** Time of its latest activity. */
  at: Instant,
  /** Rows read or written so far; null for scheduled jobs that did not start. */
  records: z.number().nullable(),
})
export type Activity = z.output<typeof Activity>

/** Lists of an account that clients can follow. */
export const ChangedList = z.enum(['imports', 'exports', 'deletes', 'downloads', 'schedules', 'dashboards'])
export type ChangedList = z.output<typeof ChangedList>

/** For each list that the caller may see, a text that changes whenever the list does. */
export const ChangeMarks = z.partialRecord(ChangedList, z.string())
export type ChangeMarks = z.output<typeof ChangeMarks>

export const activityApi = {
  listActivity: {
    method: 'GET',
    path: '/contact-service/v1/activity',
    summary:
      'List recent imports, exports and reports, and scheduled ones that did not start, the latest activity first',
    access: 'account',
    query: z.strictObject({ limit: z.coerce.number().int().min(1).max(50).default(20) }),
    reply: z.array(Activity),
  },
  /**
   * With `accept: text/event-stream` the response continues until the session ends: an event `marks` at once and on
   * each change, an event `rights` when the rights of the caller may have changed, and an occasional comment as a
   * heartbeat.
   */
  getChanges: {
    method: 'GET',
    path: '/contact-service/v1/changes',
    summary:
      'Whether imports, exports, deletes, downloads, schedules and the sharing of dashboards have changed; as a stream of server-sent events where that is accepted',
    access: 'account',
    reply: ChangeMarks,
  },
} as const satisfies Record<string, Route>
