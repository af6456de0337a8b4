import type { Activity, activityApi } from '@portico/contract/activity'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call, type RouteLine } from '#lib/api/api.ts'
import { isRunning } from '#domain/job-lists'

/** As the contract has it; written out since the shell asks for it, see `shell-routes.ts`. */
const listActivity: RouteLine<(typeof activityApi)['listActivity']> = {
  method: 'GET',
  path: '/contact-service/v1/activity',
  access: 'account',
}

/** Calm while nothing happens, attentive while a job runs. Tabs that no one looks at ask nothing. */
const idleMs = 30_000
const runningMs = 5_000

const activityQuery = queryOptions({
  queryKey: ['activity', 'latest'],
  queryFn: ({ signal }) => call(listActivity, { limit: 30 }, { signal }),
  refetchInterval: ({ state }) => (state.data?.some(isRunning) ? runningMs : idleMs),
  refetchOnWindowFocus: true,
})

/** Recent activity in the account, the latest first; follows by itself. */
export const useActivity = () => useQuery(activityQuery)

/** The screen of a job, narrowed to it. */
export function activityPath({ kind, name }: Pick<Activity, 'kind' | 'name'>): string {
  return `/contact-service/${kind === 'import' ? 'imports' : 'exports'}?${new URLSearchParams({ name })}`
}

/** Status of a job in words: 'Import completed', 'Export running'. */
export function activityTitle({ kind, status }: Activity): string {
  const noun = kind === 'import' ? 'Import' : 'Export'
  return `${noun} ${status === 'processing' ? 'running' : status}`
}
