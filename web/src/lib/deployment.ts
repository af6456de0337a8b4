import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call } from './api.ts'
import { identityRoutes } from './identity-routes.ts'

export const deploymentKey = ['deployment']

/** Names and links of this installation; empty until they are there. */
export function useDeployment(): { company: string; product: string; helpUrl: string } {
  const { data } = useQuery({
    queryKey: deploymentKey,
    queryFn: ({ signal }) => call(identityRoutes.getDeployment, {}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data ?? { company: '', product: '', helpUrl: '' }
}

/** Names the page in the browser's tab and history, the product after it. */
export function usePageTitle(title: string): void {
  const { product } = useDeployment()
  useEffect(() => {
    document.title = [title, product].filter(Boolean).join(' · ') || 'Portico'
  }, [title, product])
}
