import type { contactsApi } from '@portico/contract/contacts'
import type { dashboardsApi } from '@portico/contract/dashboards'
import type { exportsApi } from '@portico/contract/exports'
import type { importsApi } from '@portico/contract/imports'
import { matching } from '@portico/domain/pipeline/match-json'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type RouteLine } from '#lib/api/api.ts'
import { fetchCount, fetchPage } from '#lib/api/lists.ts'

// As the contract has them. Importing its tables would add the schema library to the first load, which usually ends
// here.
const lists: {
  contacts: RouteLine<(typeof contactsApi)['listOffers']>
  imports: RouteLine<(typeof importsApi)['listImports']>
  exports: RouteLine<(typeof exportsApi)['listExports']>
} = {
  contacts: { method: 'GET', path: '/contact-service/v1/offers' },
  imports: { method: 'GET', path: '/contact-service/v1/imports' },
  exports: { method: 'GET', path: '/contact-service/v1/exports' },
}

const listDashboards: RouteLine<(typeof dashboardsApi)['listDashboards']> = {
  method: 'GET',
  path: '/contact-service/v1/dashboards',
}

// The keys begin with the noun: a change of its records refreshes the figure.

export const useContactCount = (isWanted: boolean) =>
  useQuery({
    queryKey: ['contacts', 'count', []],
    queryFn: ({ signal }) => fetchCount(lists.contacts, [], signal),
    enabled: isWanted,
  })

export const useImportCount = (isWanted: boolean) =>
  useQuery({
    queryKey: ['imports', 'count', []],
    queryFn: ({ signal }) => fetchCount(lists.imports, [], signal),
    enabled: isWanted,
  })

/** The import submitted last; null if there is none. */
export const useLastImport = (isWanted: boolean) =>
  useQuery({
    queryKey: ['imports', 'last'],
    queryFn: async ({ signal }) => (await fetchPage(lists.imports, { pageSize: 1 }, signal))[0] ?? null,
    enabled: isWanted,
  })

/** The user's first favorite in this account, by name, without its definition; null if there is none. */
export const useFavourite = (isWanted: boolean) =>
  useQuery({
    // The same query as on the dashboard screens.
    queryKey: ['dashboards', 'list'],
    queryFn: ({ signal }) => call(listDashboards, { definition: 'false' }, { signal }),
    select: (list) => list.find(({ isFavourite }) => isFavourite) ?? null,
    enabled: isWanted,
  })

/** Exports created since the first of the month in the browser's time zone. */
export function useExportsThisMonth(isWanted: boolean) {
  const [monthStart] = useState(startOfMonth)
  const find = matching({ creationDate: { $gte: monthStart } })
  return useQuery({
    queryKey: ['exports', 'count', find],
    queryFn: ({ signal }) => fetchCount(lists.exports, find, signal),
    enabled: isWanted,
  })
}

function startOfMonth(): string {
  const now = new Date()
  return new Date(now.getFullYear(), now.getMonth(), 1).toISOString()
}
