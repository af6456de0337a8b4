import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'

/**
 * Time at which a list was last loaded for its user: when the screen opened, when other records were requested, or by
 * `refresh`. Polling does not count, because the lock of REFRESH must expire while a job is being watched. `input`
 * identifies the requested records.
 */
export function useLoadedAt(
  query: Pick<UseQueryResult, 'dataUpdatedAt' | 'isPlaceholderData' | 'refetch'>,
  input: unknown,
) {
  const [refreshes, setRefreshes] = useState(0)
  const load = JSON.stringify([input, refreshes])
  const [loaded, setLoaded] = useState({ load: '', at: 0 })
  if (loaded.load !== load && query.dataUpdatedAt > 0 && !query.isPlaceholderData) {
    setLoaded({ load, at: query.dataUpdatedAt })
  }
  const [isRefreshing, setRefreshing] = useState(false)
  const refresh = async (...others: (() => Promise<unknown>)[]): Promise<void> => {
    setRefreshing(true)
    await Promise.all([query.refetch(), ...others.map((other) => other())])
    setRefreshing(false)
    setRefreshes((count) => count + 1)
  }
  return { loadedAt: loaded.at, isRefreshing, refresh }
}
