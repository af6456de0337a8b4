import { QueryClient } from '@tanstack/react-query'
import { isApiError } from './api-error.ts'

/** The one cache of server data. It is emptied when the tab enters another account. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Otherwise a browser that believes to be offline waits in silence instead of saying so.
      networkMode: 'always',
      // Refusals are final; only a lost connection or a busy server is worth a retry.
      retry: (failures, error) => failures < 2 && isApiError(error, 'unavailable', 'too_many_requests'),
    },
    mutations: { networkMode: 'always' },
  },
})
