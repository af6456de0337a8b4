import { type DownloadEntry, downloadsApi, type DownloadSort } from '@portico/contract/downloads'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { useLiveList } from '#domain/job-lists'

/** Where the portal does not tell by itself what has changed. */
const pollMs = 15_000

export type FileInput = {
  search: string
  sort: { field: DownloadSort; direction: 'asc' | 'desc' } | null
  /** Counted from 1. */
  page: number
  pageSize: number
}

/** A page of the finished files, and how many there are; both follow by themselves. */
export function useFiles({ search, sort, page, pageSize }: FileInput) {
  const isLive = useLiveList('downloads')
  const options = { placeholderData: keepPreviousData, refetchInterval: isLive ? (false as const) : pollMs }
  const found = search && { search }
  const query = {
    ...found,
    ...(sort && { sort: JSON.stringify({ [sort.field]: sort.direction === 'asc' ? 1 : -1 }) }),
    limit: pageSize,
    skip: (page - 1) * pageSize,
  }
  return {
    page: useQuery({
      queryKey: ['downloads', 'page', query],
      // Without `count` the contract's answer is the list.
      queryFn: async ({ signal }) => (await call(downloadsApi.listDownloads, query, { signal })) as DownloadEntry[],
      ...options,
    }),
    count: useQuery({
      queryKey: ['downloads', 'count', search],
      queryFn: async ({ signal }) => {
        // With `count` it is the count.
        const reply = await call(downloadsApi.listDownloads, { count: '', ...found }, { signal })
        return (reply as { count: number }).count
      },
      ...options,
    }),
  }
}

/** How much room the account's files take. */
export const useStorageUse = () =>
  useQuery({
    queryKey: ['downloads', 'storage'],
    queryFn: ({ signal }) => call(downloadsApi.getStorageUse, {}, { signal }),
  })

/** Fetches a signed link to a file, as links expire. One that is refused may be gone, and the list does not know yet. */
export function useDownloadLink() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call(downloadsApi.openDownload, { id }),
    onError: () => client.invalidateQueries({ queryKey: ['downloads'] }),
  })
}
