import { type DownloadEntry, downloadsApi, type DownloadSort } from '@portico/contract/downloads'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { useLiveList } from '#domain/job-lists'

/** Used where the portal does not push changes. */
const pollMs = 15_000

export type FileInput = {
  search: string
  sort: { field: DownloadSort; direction: 'asc' | 'desc' } | null
  /** Counted from 1. */
  page: number
  pageSize: number
}

/** A page of the finished files, and their number; both update by themselves. */
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
      // Without `count` the contract returns the list.
      queryFn: async ({ signal }) => (await call(downloadsApi.listDownloads, query, { signal })) as DownloadEntry[],
      ...options,
    }),
    count: useQuery({
      queryKey: ['downloads', 'count', search],
      queryFn: async ({ signal }) => {
        // With `count` the contract returns the count.
        const reply = await call(downloadsApi.listDownloads, { count: '', ...found }, { signal })
        return (reply as { count: number }).count
      },
      ...options,
    }),
  }
}

/** The storage used by the account's files. */
export const useStorageUse = () =>
  useQuery({
    queryKey: ['downloads', 'storage'],
    queryFn: ({ signal }) => call(downloadsApi.getStorageUse, {}, { signal }),
  })

/** Fetches a signed link to a file, as links expire. A refusal may mean that the file is gone and the list outdated. */
export function useDownloadLink() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call(downloadsApi.openDownload, { id }),
    onError: () => client.invalidateQueries({ queryKey: ['downloads'] }),
  })
}
