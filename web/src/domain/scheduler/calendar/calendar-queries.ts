import { schedulerApi } from '@portico/contract/scheduler'
import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import type { Schedule, ScheduleDetails } from '@portico/contract/scheduler/schedules'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { isApiError } from '#lib/api/api-error.ts'
import { emptyIfNotFound } from '../scheduler-queries.ts'
import { type DayOfRuns, daysOfMonth, daysOfRuns, type Shown, shownDays, shownMoments } from './calendar-days.ts'

/** Used where the portal does not push changes. */
const pollMs = 15_000

/** Maximum number of runs of each kind that a week or a day shows. */
export const maxRuns = 10_000

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/**
 * The days that the calendar shows, with their runs. A month has the first runs of each day and their number; a week
 * and a day have all of them, unless there are too many (`cut`). `isLive`: they are reloaded whenever one of them
 * changes.
 */
export function useCalendar(consumerCode: ConsumerCode, shown: Shown, isLive: boolean) {
  const common = { placeholderData: keepPreviousData, refetchInterval: isLive ? (false as const) : pollMs }
  const { from, to } = shownDays(shown)
  const { type, state, weekdays, hours } = shown
  const query = { consumerCode, from, to, zone: browserZone(), state, weekdays, hours }
  return useQuery({
    queryKey: ['schedules', 'calendar', type, shown.day, query],
    queryFn: async ({ signal }): Promise<{ shown: Shown; days: DayOfRuns[]; cut: Cut }> => {
      if (type !== 'month') {
        const { runs, cut } = await fetchRuns(consumerCode, shown, signal)
        return { shown, days: daysOfRuns(runs, shown), cut }
      }
      const { days } = await call(schedulerApi.getCalendar, query, { signal })
      return { shown, days: daysOfMonth(days, shown), cut: null }
    },
    ...common,
  })
}

/** The runs left out because there are too many. */
export type Cut = 'upcoming' | 'made' | null

/** Existing runs and upcoming ones: if there are too many, the latest existing runs and no upcoming ones. */
async function fetchRuns(
  consumerCode: ConsumerCode,
  shown: Shown,
  signal: AbortSignal,
): Promise<{ runs: Schedule[]; cut: Cut }> {
  const { from, to } = shownMoments(shown)
  const { state } = shown
  const hasUpcoming = (state === '' || state === 'upcoming') && Date.parse(to) > Date.now()
  const [made, upcoming] = await Promise.all([
    state === 'upcoming'
      ? []
      : call(schedulerApi.listSchedules, { consumerCode, from, to, state, limit: maxRuns }, { signal }).catch(
          emptyIfNotFound,
        ),
    hasUpcoming
      ? call(schedulerApi.listCrons, { consumerCode, from, instances: to }, { signal })
          .catch(nullIfTooMany)
          .catch(emptyIfNotFound)
      : [],
  ])
  const known = new Set(made.map(keyOf))
  // With `instances` the contract returns a list of runs. One may have been created between the two calls.
  const ahead = ((upcoming ?? []) as Schedule[]).filter((run) => !known.has(keyOf(run)))
  return { runs: [...made, ...ahead], cut: upcoming === null ? 'upcoming' : made.length === maxRuns ? 'made' : null }
}

function nullIfTooMany(error: unknown): null {
  if (isApiError(error, 'too_many_runs')) return null
  throw error
}

const keyOf = ({ cron, scheduleDate }: Schedule): string => `${cron._id} ${scheduleDate}`

/** A run with its attempts and deliveries; null requests nothing. */
export const useRun = (id: string | null) =>
  useQuery({
    queryKey: ['schedules', 'run', id],
    queryFn: ({ signal }) => call(schedulerApi.getSchedule, { id: id ?? '' }, { signal }),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data ? untilNextLook(state.data) : false),
  })

/** A delivery that is sent again takes a few seconds. */
const deliveryPollMs = 2_000

/** Milliseconds until a run may have changed; false for one that has ended with its deliveries. */
function untilNextLook({ status, deliveries }: ScheduleDetails): number | false {
  const statuses: string[] = deliveries.map((delivery) => delivery.status)
  if (statuses.includes('waiting') || statuses.includes('processing')) return deliveryPollMs
  return [status, ...statuses].some((each) => ['waiting', 'processing', 'recovery'].includes(each)) ? pollMs : false
}

/** Skips an upcoming run. */
export function useSkipRun() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ cron, scheduleDate }: Schedule) =>
      call(schedulerApi.skipRun, { id: cron._id, body: { date: scheduleDate } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['schedules'] }),
  })
}

/** Retries a delivery of a run. */
export function useResendDelivery(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (delivery: string) => call(schedulerApi.resendScheduleDelivery, { id, delivery }),
    onSettled: () => client.invalidateQueries({ queryKey: ['schedules'] }),
  })
}

/** Fetches a signed link to the file of a run, by the URL in the run. */
export const useFileLink = () =>
  useMutation({
    mutationFn: async (url: string) =>
      // All calls that a run can name return a link. The page may be open under another host name of the portal.
      (await call({ method: 'GET', path: `/${url.replace(/^.*?\/api\//, '')}`, access: 'account' }, {})) as {
        url: string
      },
  })
