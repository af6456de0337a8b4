import { type Import, importsApi, type NewImport } from '@portico/contract/imports'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { call } from '#lib/api.ts'
import { isRunning, pollWhileRunning } from '#lib/jobs.ts'
import { fetchCount, fetchPage, type ListInput } from '#lib/lists.ts'

/** One page of imports; it follows by itself what is running on it. */
export function useImportPage(input: ListInput) {
  const query = useQuery({
    queryKey: ['imports', 'page', input],
    queryFn: ({ signal }) => fetchPage(importsApi.listImports, input, signal),
    placeholderData: keepPreviousData,
    refetchInterval: pollWhileRunning,
  })
  useFreshContacts(query.data)
  return query
}

/**
 * When an import ends, what is known of the contacts and their fields is out of date. A short one may have ended before
 * it was seen running.
 */
function useFreshContacts(imports: Import[] | undefined): void {
  const client = useQueryClient()
  const ended = useRef<ReadonlySet<string> | null>(null)
  useEffect(() => {
    if (!imports) return
    const before = ended.current
    const now = imports.filter((one) => !isRunning(one)).map(({ _id }) => _id)
    ended.current = new Set(now)
    if (before === null || now.every((id) => before.has(id))) return
    for (const noun of ['fields', 'contacts', 'exports']) void client.invalidateQueries({ queryKey: [noun] })
  }, [imports, client])
}

export const useImportCount = (find: NonNullable<ListInput['find']>) =>
  useQuery({
    queryKey: ['imports', 'count', find],
    queryFn: ({ signal }) => fetchCount(importsApi.listImports, find, signal),
    placeholderData: keepPreviousData,
  })

/** The import that was submitted last, from which the next inherits; null when there is none. Asked anew each time. */
export const useLatestImport = () =>
  useQuery({
    queryKey: ['imports', 'latest'],
    queryFn: async ({ signal }) => (await fetchPage(importsApi.listImports, { pageSize: 1 }, signal))[0] ?? null,
    staleTime: 0,
    gcTime: 0,
  })

export function useCancelImport() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call(importsApi.cancelImport, { id, body: { cancel: true } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['imports'] }),
  })
}

export const countImports = (): Promise<number> => fetchCount(importsApi.listImports)

export const createImport = (body: NewImport, signal: AbortSignal): Promise<Import> =>
  call(importsApi.createImport, { body }, { signal })

/** Fetches a link to the report of rows that were set aside. */
export const useSetAsideReport = () =>
  useMutation({ mutationFn: (id: string) => call(importsApi.getSetAsideReport, { id }) })
