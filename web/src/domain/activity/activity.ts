import type { Activity, activityApi } from '@portico/contract/activity'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call, type RouteLine } from '#lib/api/api.ts'
import { formatCount } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { isRunning } from '#domain/job-lists'

/** As the contract has it; spelled out because the shell calls it, see `shell-routes.ts`. */
const listActivity: RouteLine<(typeof activityApi)['listActivity']> = {
  method: 'GET',
  path: '/contact-service/v1/activity',
  access: 'account',
}

/** Polls slowly while idle, fast while a job runs. Hidden tabs do not poll. */
const idleMs = 30_000
const runningMs = 5_000

const activityQuery = queryOptions({
  queryKey: ['activity', 'latest'],
  queryFn: ({ signal }) => call(listActivity, { limit: 30 }, { signal }),
  refetchInterval: ({ state }) => (state.data?.some(isRunning) ? runningMs : idleMs),
  refetchOnWindowFocus: true,
})

/** Recent activity in the account, the latest first; updates by itself. */
export const useActivity = () => useQuery(activityQuery)

/** The noun of each kind, and the screen that lists it. */
const kinds: Record<Activity['kind'], { noun: string; path: (name: string) => string }> = {
  import: { noun: 'Import', path: (name) => paths.imports({ name }) },
  export: { noun: 'Export', path: (name) => paths.exports({ name }) },
  report: { noun: 'Report', path: (name) => paths.downloads({ search: name }) },
  'scheduled export': { noun: 'Scheduled export', path: () => paths.exports({ schedules: '1' }) },
  'scheduled report': { noun: 'Scheduled report', path: () => paths.ownDashboards({ schedules: '1' }) },
}

/** The screen of a job, filtered to it; for a scheduled job with the calendar. */
export const activityPath = ({ kind, name }: Pick<Activity, 'kind' | 'name'>): string => kinds[kind].path(name)

/** Status of a job in words: 'Import completed · 60 records', 'Scheduled export rejected'. */
export function activitySummary({ kind, status, records }: Pick<Activity, 'kind' | 'status' | 'records'>): string {
  const title = `${kinds[kind].noun} ${status === 'processing' ? 'running' : status}`
  return records === null ? title : `${title} · ${formatCount(records, 'record')}`
}
