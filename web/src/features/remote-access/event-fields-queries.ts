import { eventsApi } from '@portico/contract/events'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { useMayCall } from '#lib/session/may-call.ts'

// Shared with exports and filters, which offer these fields.
const key = ['fields', 'events'] as const
const offeredKey = ['fields', 'offered events'] as const

export const useEventFields = () =>
  useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => (await call(eventsApi.listEventFields, {}, { signal })).map(({ name }) => name),
    enabled: useMayCall(eventsApi.listEventFields),
  })

export const useOfferedEventFields = () =>
  useQuery({
    queryKey: offeredKey,
    queryFn: ({ signal }) => call(eventsApi.listOfferedEventFields, {}, { signal }),
  })

export function useAddEventField() {
  const onSettled = useReload()
  return useMutation({ mutationFn: (name: string) => call(eventsApi.addEventField, { body: { name } }), onSettled })
}

export function useRemoveEventField() {
  const onSettled = useReload()
  return useMutation({ mutationFn: (name: string) => call(eventsApi.removeEventField, { name }), onSettled })
}

function useReload() {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: ['fields'] })
}
