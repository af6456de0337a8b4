import { type Dashboard, dashboardsApi, type NewDashboard } from '@portico/contract/dashboards'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { deletionKey } from '#domain/dashboards'
import { call } from '#lib/api/api.ts'
import { useDashboardCall } from './viewer-mutations.ts'

/** Saves over a version of a dashboard; `over` null creates one. */
export const useSaveDashboard = () =>
  useDashboardCall(({ body, over }: { body: NewDashboard; over: { id: string; version: number } | null }) =>
    over
      ? call(dashboardsApi.updateDashboard, { id: over.id, body: { ...body, version: over.version } })
      : call(dashboardsApi.createDashboard, { body }),
  )

/** Removes the dashboard from the list at once, to prevent further requests for it. */
export function useDeleteDashboard() {
  const client = useQueryClient()
  const queryKey = ['dashboards', 'list']
  return useMutation({
    mutationKey: deletionKey,
    mutationFn: (id: string) => call(dashboardsApi.deleteDashboard, { id }),
    onSuccess: (_, id) => {
      client.setQueryData<Dashboard[]>(queryKey, (list) => list?.filter(({ _id }) => _id !== id))
      return client.invalidateQueries({ queryKey })
    },
    // Changes of it were not followed during the deletion.
    onError: () => client.invalidateQueries({ queryKey: ['dashboards'] }),
  })
}

export const useVersions = (id: string) =>
  useQuery({
    queryKey: ['dashboards', 'versions', id],
    queryFn: ({ signal }) => call(dashboardsApi.listDashboardVersions, { id }, { signal }),
  })

export const useRestoreVersion = () =>
  useDashboardCall(({ id, version, newest }: { id: string; version: number; newest: number }) =>
    call(dashboardsApi.restoreDashboardVersion, { id, version, body: { version: newest } }),
  )

/** Loads an earlier version on request. */
export const useLoadVersion = () =>
  useMutation({
    mutationFn: ({ id, version }: { id: string; version: number }) =>
      call(dashboardsApi.getDashboardVersion, { id, version }),
  })
