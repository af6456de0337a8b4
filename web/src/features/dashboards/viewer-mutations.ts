import type { Dashboard } from '@portico/contract/dashboards'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { viewerRoutes } from '#domain/dashboards'
import { call } from '#lib/api/api.ts'

/** A call that changes a dashboard; the list and the dashboard are reloaded afterwards. */
export function useDashboardCall<Input, Result>(ask: (input: Input) => Promise<Result>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ask,
    onSuccess: () =>
      client.invalidateQueries({ queryKey: ['dashboards'], predicate: ({ queryKey }) => queryKey[1] !== 'cell' }),
  })
}

export const useTakeOver = () => useDashboardCall((id: string) => call(viewerRoutes.takeOver, { id }))

export const useMarkFavourite = () =>
  useDashboardCall(({ _id, isFavourite }: Pick<Dashboard, '_id' | 'isFavourite'>) =>
    call(viewerRoutes.favourite, { id: _id, body: { isFavourite } }),
  )
