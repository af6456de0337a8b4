import type { Dashboard } from '@portico/contract/dashboards'
import { useCallback, useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { useDashboard, useDashboards, useLiveDashboards } from '#domain/dashboards'
import { useAccount } from '#lib/session/session.ts'

const parameter = 'dashboard'
const keyOf = (account: number): string => `portico.dashboard.${account}`

/** The dashboard in the address, else the last one viewed here, a favorite, or the first. */
function idToOpen(list: readonly Dashboard[], inAddress: string | null, last: string | null): string | null {
  if (inAddress !== null) return inAddress
  const known = list.find(({ _id }) => _id === last) ?? list.find(({ isFavourite }) => isFavourite) ?? list[0]
  return known?._id ?? null
}

/** The user's dashboards, and the open one. */
export function useOpenDashboard() {
  const { id: account } = useAccount()
  const [params, setParams] = useSearchParams()
  const list = useDashboards()
  useLiveDashboards()
  const id = list.data ? idToOpen(list.data, params.get(parameter), localStorage.getItem(keyOf(account))) : null
  const dashboard = useDashboard(id)
  const loadedId = dashboard.data?._id
  useEffect(() => {
    if (loadedId !== undefined) localStorage.setItem(keyOf(account), loadedId)
  }, [account, loadedId])
  const open = useCallback(
    // Choices on one dashboard have no meaning on another.
    (next: string | null) => setParams(next === null ? {} : { [parameter]: next }),
    [setParams],
  )
  return { list, dashboard, id, open }
}
