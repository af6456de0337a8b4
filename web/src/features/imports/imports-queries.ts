import { type DedupKeys, dedupKeysApi } from '@portico/contract/dedup-keys'
import { importPreviewApi } from '@portico/contract/import-preview'
import { type ImportReview, importReviewApi } from '@portico/contract/import-review'
import { importUndoApi } from '@portico/contract/import-undo'
import {
  type Import,
  type ImportDefaults,
  type ImportKind,
  importsApi,
  type NewEventImport,
  type NewImport,
} from '@portico/contract/imports'
import { matching } from '@portico/domain/pipeline/match-json'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { call } from '#lib/api/api.ts'
import { isRunning, pollWhileRunning, useLiveList } from '#domain/job-lists'
import { fetchCount, fetchPage, type ListInput } from '#lib/api/lists.ts'

/** One page of imports; running ones update by themselves. */
export function useImportPage(input: ListInput) {
  const isLive = useLiveList('imports')
  const query = useQuery({
    queryKey: ['imports', 'page', input],
    queryFn: ({ signal }) => fetchPage(importsApi.listImports, input, signal),
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? false : pollWhileRunning,
  })
  useFreshContacts(query.data)
  return query
}

/**
 * Invalidates the contacts and their fields when an import ends or is undone. A short import may have ended before it
 * was seen running.
 */
function useFreshContacts(imports: Import[] | undefined): void {
  const client = useQueryClient()
  const ended = useRef<ReadonlySet<string> | null>(null)
  useEffect(() => {
    if (!imports) return
    const before = ended.current
    const now = imports.flatMap((one) => [
      ...(isRunning(one) ? [] : [one._id]),
      ...(one.undo?.status === 'completed' ? [`${one._id} undone`] : []),
    ])
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

/**
 * The initial settings of a new import: those of the latest one, or the account's defaults. `binding` is the import
 * whose settings the new one must share.
 */
export type StartingPoint = { latest: Import | null; binding: Import | null; defaults: ImportDefaults | null }

/** Imports of events have no settings to pass on. */
const ofContacts = { kind: 'contacts' }

/**
 * The server's rule: an import that ended without a row does not bind later ones, nor does one that was undone with all
 * its contacts.
 */
const isBinding = {
  binds: { $ne: false },
  $or: [{ processedRecords: { $gt: 0 } }, { status: { $in: ['waiting', 'processing', 'recovery'] } }],
}

/** Requested each time. */
export const useStartingPoint = () =>
  useQuery({
    queryKey: ['imports', 'start'],
    queryFn: async ({ signal }): Promise<StartingPoint> => {
      const first = async (match: Record<string, unknown>) =>
        (await fetchPage(importsApi.listImports, { pageSize: 1, find: matching(match) }, signal))[0] ?? null
      const [latest, binding] = await Promise.all([first(ofContacts), first({ ...ofContacts, ...isBinding })])
      const defaults = latest ? null : await call(importsApi.getImportDefaults, {}, { signal })
      return { latest, binding, defaults }
    },
    staleTime: 0,
    gcTime: 0,
  })

type PreviewInput = {
  filePath: string
  fileDelimiter: NewImport['fileDelimiter']
  fileSheet?: string
  headerLine?: number
  nameColumns?: boolean
  describeHeader: true
  typeCasting: boolean
  kind?: ImportKind
}

/** Preview of an uploaded file; `sent` counts the files, because the next may have the same name. */
export const useImportPreview = (sent: number, input: PreviewInput | null) =>
  useQuery({
    queryKey: ['import-preview', sent, input],
    queryFn: ({ signal }) => input && call(importPreviewApi.previewImport, { body: input }, { signal }),
    enabled: input !== null,
    gcTime: 0,
    staleTime: Infinity,
    // The problems of a file do not change.
    retry: false,
  })

const reviewPollMs = 1_000

/** A started review, followed until it ends; a failure stops following until it is requested again. */
export const useImportReview = (started: ImportReview) =>
  useQuery({
    queryKey: ['import-review', started._id],
    queryFn: ({ signal }) => call(importReviewApi.getImportReview, { id: started._id }, { signal }),
    initialData: started,
    gcTime: 0,
    // Once it has ended it does not change, and it expires an hour later.
    staleTime: Infinity,
    refetchInterval: ({ state: { data, status } }) =>
      status !== 'error' && data && isRunning(data) ? reviewPollMs : false,
  })

export const createImportReview = (body: NewImport, signal: AbortSignal): Promise<ImportReview> =>
  call(importReviewApi.createImportReview, { body }, { signal })

/** A failure does not matter: the portal also ends reviews by itself. */
export const endImportReview = (id: string): void =>
  void call(importReviewApi.endImportReview, { id }).catch(() => undefined)

/** The contacts without a dedup key, and the computation of keys, followed until it ends. */
export const useDedupKeys = () =>
  useQuery({
    queryKey: ['dedup-keys'],
    queryFn: ({ signal }): Promise<DedupKeys> => call(dedupKeysApi.getDedupKeys, {}, { signal }),
    staleTime: 0,
    gcTime: 0,
    // Identities that see only some contacts may not ask.
    retry: false,
    refetchInterval: ({ state: { data } }) => (data?.computation && isRunning(data.computation) ? reviewPollMs : false),
  })

export function useComputeDedupKeys() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (dedupColumns: string[]) => call(dedupKeysApi.computeDedupKeys, { body: { dedupColumns } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['dedup-keys'] }),
  })
}

export function useCancelImport() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call(importsApi.cancelImport, { id, body: { cancel: true } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['imports'] }),
  })
}

/** The effect of undoing an import, expected or actual. Counted each time. */
export const useImportUndo = (id: string) =>
  useQuery({
    queryKey: ['imports', 'undo', id],
    queryFn: ({ signal }) => call(importUndoApi.getImportUndo, { id }, { signal }),
    staleTime: 0,
    gcTime: 0,
  })

export function useUndoImport() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call(importUndoApi.undoImport, { id }),
    onSettled: () => client.invalidateQueries({ queryKey: ['imports', 'page'] }),
  })
}

export const countImports = (): Promise<number> => fetchCount(importsApi.listImports)

export const createImport = (body: NewImport | NewEventImport, signal: AbortSignal): Promise<Import> =>
  call(importsApi.createImport, { body }, { signal })

/** Fetches a link to the report of set-aside rows. */
export const useSetAsideReport = () =>
  useMutation({ mutationFn: (id: string) => call(importsApi.getSetAsideReport, { id }) })
