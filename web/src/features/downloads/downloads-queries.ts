import { type Export, exportsApi } from '@portico/contract/exports'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { call } from '#lib/api.ts'
import { fetchCount, fetchPage, type ListInput } from '#lib/lists.ts'

/** A file that is not here yet comes by itself. */
const pollMs = 15_000

export const useFilePage = (input: ListInput) =>
  useQuery({
    queryKey: ['exports', 'files', input],
    queryFn: ({ signal }) => fetchPage(exportsApi.listExports, input, signal),
    placeholderData: keepPreviousData,
    refetchInterval: pollMs,
  })

export const useFileCount = (find: NonNullable<ListInput['find']>) =>
  useQuery({
    queryKey: ['exports', 'count', find],
    queryFn: ({ signal }) => fetchCount(exportsApi.listExports, find, signal),
    placeholderData: keepPreviousData,
    refetchInterval: pollMs,
  })

/** What a finished export's file is called by the call that gives it. */
const fileOf = ({ _id, delimiter, shouldZip }: Export): string =>
  `${_id}.${shouldZip ? 'zip' : delimiter === 'csv' ? 'csv' : 'txt'}`

/** Fetches a signed link to a file. */
export const useDownloadLink = () =>
  useMutation({ mutationFn: (item: Export) => call(exportsApi.getDownload, { file: fileOf(item) }) })
