import { shownText } from '@portico/contract/shown-text'
import type { signInApi } from '@portico/contract/sign-in'
import type { Reply } from '@portico/contract/route'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call } from '#lib/api/api.ts'
import { shellRoutes } from '#lib/api/shell-routes.ts'
import { queryClient } from '#lib/api/query-client.ts'

const deploymentQuery = queryOptions({
  queryKey: ['deployment'],
  queryFn: ({ signal }) => call(shellRoutes.getDeployment, {}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Names and links of this installation; empty until loaded. */
type Deployment = Reply<typeof signInApi.getDeployment>
const unknown: Deployment = { company: '', product: '', helpUrl: '', modules: [], passkeyOrigin: null }

export function useDeployment(): Deployment {
  const { data } = useQuery(deploymentQuery)
  return data ?? unknown
}

/** Requests the deployment before the first render. */
export const prefetchDeployment = (): Promise<void> => queryClient.prefetchQuery(deploymentQuery)

/** Sets the page's title in the browser's tab and history, followed by the product's name. */
export function usePageTitle(title: string): void {
  const { product } = useDeployment()
  useEffect(() => {
    document.title = shownText([title, product].filter(Boolean).join(' · ') || 'Portico')
  }, [title, product])
}
