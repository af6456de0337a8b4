import { eventsApi } from '@portico/contract/events'
import { useQuery } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { useMayCall } from '#lib/session/may-call.ts'

/** Names of the account's own fields of events. Requests nothing without the right to see contacts. */
export const useOwnEventFields = () =>
  useQuery({
    queryKey: ['fields', 'events'],
    queryFn: async ({ signal }) => (await call(eventsApi.listEventFields, {}, { signal })).map(({ name }) => name),
    enabled: useMayCall(eventsApi.listEventFields),
  })
