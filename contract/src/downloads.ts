import { z } from 'zod'
import { Instant } from './jobs.ts'
import { Count, jsonText } from './list-query.ts'
import type { Route } from './route.ts'

/** Days for which finished files are kept. */
export const fileDays = 30

/** A file that the portal has created: of an export or a report, or the rows that an import set aside. */
export const DownloadEntry = z.object({
  _id: z.string(),
  kind: z.enum(['export', 'report', 'set-aside report']),
  /** Name of the export, the report or the import. */
  name: z.string(),
  fileName: z.string(),
  /** Bytes. */
  size: z.number(),
  rows: z.number(),
  creator: z.string(),
  createdAt: Instant,
  expiresAt: Instant,
  /** The file no longer exists; the entry stays to say so. */
  isExpired: z.boolean(),
})
export type DownloadEntry = z.output<typeof DownloadEntry>

/** Sort keys of the list of files. */
export const downloadSorts = ['name', 'kind', 'size', 'rows', 'creator', 'createdAt', 'expiresAt'] as const
export type DownloadSort = (typeof downloadSorts)[number]

/** Bytes that the account's files take in the storage, and the maximum. */
export const StorageUse = z.object({
  uploads: z.number(),
  exports: z.number(),
  reports: z.number(),
  total: z.number(),
  quota: z.number().nullable().describe('Null: no limit.'),
})
export type StorageUse = z.output<typeof StorageUse>

export const downloadsApi = {
  listDownloads: {
    method: 'GET',
    path: '/contact-service/v1/downloads',
    summary: 'List or count finished files, newest first unless sorted',
    access: 'contact-service::downloads::get',
    query: z.strictObject({
      search: z.string().trim().max(200).optional().describe('Part of the name or of the creator, in any letter case.'),
      sort: jsonText(z.partialRecord(z.enum(downloadSorts), z.union([z.literal(1), z.literal(-1)])), 'sort')
        .optional()
        .describe('JSON object {field: 1 | -1}: what to sort by, up or down.'),
      limit: z.coerce.number().int().min(1).max(1000).default(100),
      skip: z.coerce.number().int().min(0).default(0),
      count: z.string().optional().describe('With any value: answer {count} instead of the list.'),
    }),
    reply: z.union([z.array(DownloadEntry), Count]),
  },
  /** An expired file gives `not_found`. */
  openDownload: {
    method: 'GET',
    path: '/contact-service/v1/downloads/files/:id',
    summary: 'Create a signed link to a file of that list',
    access: 'contact-service::downloads::get',
    params: z.object({ id: z.string() }),
    reply: z.object({ url: z.string() }),
    errors: ['not_found'],
  },
  getStorageUse: {
    method: 'GET',
    path: '/contact-service/v1/storage',
    summary: "Get the storage use of the account's files",
    access: 'administrator',
    action: 'contact-service::storage::get',
    reply: StorageUse,
  },
} as const satisfies Record<string, Route>
