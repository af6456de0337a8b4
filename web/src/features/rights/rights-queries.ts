import { rightsApi } from '@portico/contract/rights'
import { useQuery } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'

/** The people who may do something in the account; null asks for nothing. */
export const useRightHolders = (action: string | null) =>
  useQuery({
    queryKey: ['rights', 'holders', action],
    queryFn: ({ signal }) => call(rightsApi.listRightHolders, { action: action ?? '' }, { signal }),
    enabled: action !== null,
  })
