import { QueryClient } from '@tanstack/react-query'
import { isApiError } from './api-error.ts'

/** The one cache of server data. It is emptied when the tab enters another account. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // By default, a browser that believes it is offline waits in silence instead of reporting an error.
      networkMode: 'always',
      // Refusals are final; only a lost connection or a busy server is worth retrying.
      retry: (failures, error) => failures < 2 && isApiError(error, 'unavailable', 'too_many_requests'),
    },
    mutations: { networkMode: 'always' },
  },
})
