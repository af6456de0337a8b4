import { type IndexDetails, indexesApi, type NewIndex } from '@portico/contract/indexes'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'

const pollMs = 2000

const isUnderWay = ({ state }: IndexDetails): boolean => state === 'building' || state === 'deleting'

/** All indexes; it follows by itself those that are being built or deleted. */
export const useIndexes = () =>
  useQuery({
    queryKey: ['indexes', 'details'],
    queryFn: ({ signal }) => call(indexesApi.listIndexDetails, {}, { signal }),
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? pollMs : false),
  })

/** Build time and size of an index of these fields; null requests nothing. */
export const useIndexEstimate = (fields: { field: string; field2?: string } | null) =>
  useQuery({
    queryKey: ['indexes', 'estimate', fields],
    queryFn: ({ signal }) => call(indexesApi.estimateIndex, fields ?? { field: '' }, { signal }),
    enabled: fields !== null,
    retry: false,
  })

/** An index changes what can be filtered by, too. */
function useIndexChange() {
  const client = useQueryClient()
  return () => Promise.all(['indexes', 'fields'].map((noun) => client.invalidateQueries({ queryKey: [noun] })))
}

export function useCreateIndex() {
  const onSettled = useIndexChange()
  return useMutation({ mutationFn: (body: NewIndex) => call(indexesApi.createIndex, { body }), onSettled })
}

export function useDeleteIndex() {
  const onSettled = useIndexChange()
  return useMutation({ mutationFn: (name: string) => call(indexesApi.deleteIndex, { key: name }), onSettled })
}
