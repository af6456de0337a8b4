import { dashboardsApi } from '@portico/contract/dashboards'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useFields } from '#domain/fields'
import { call } from '#lib/api/api.ts'
import { type AccountData, contactsQuestion, eventsQuestion, noData, readAccountData } from './account-data.ts'

/** The first row of the answer to a question; an account that cannot be queried has no ready cells. */
const useFirstRow = (chart: CellChart | null) =>
  useQuery({
    queryKey: ['dashboards', 'data', chart],
    queryFn: async ({ signal }) => {
      if (!chart) return null
      const { rows } = await call(dashboardsApi.previewCell, { body: { chart } }, { signal })
      return rows[0] ?? null
    },
    enabled: chart !== null,
    retry: false,
    staleTime: 60_000,
  })

/** The data that ready cells can show, as soon as it is known. Requests nothing until it is wanted. */
export function useAccountData(isWanted = true): { data: AccountData; isPending: boolean } {
  const fields = useFields()
  const asked = useMemo(() => (isWanted && fields.data ? contactsQuestion(fields.data) : null), [isWanted, fields.data])
  const contacts = useFirstRow(asked)
  const events = useFirstRow(isWanted ? eventsQuestion : null)
  const isPending = fields.isLoading || contacts.isLoading || events.isLoading
  const data = useMemo(
    () =>
      isPending ? noData : readAccountData(fields.data ?? [], contacts.data ?? undefined, events.data ?? undefined),
    [isPending, fields.data, contacts.data, events.data],
  )
  return { data, isPending }
}
