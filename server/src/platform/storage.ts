import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Stages } from '@portico/contract/filter'
import { textOfRule } from '@portico/domain/pipeline/row-rules'
import type { AccountContext, CallerRight, RequestParts } from './http/context.ts'
import { AppError } from './app-error.ts'

/** Seven days: S3 signs for no longer, so no storage does. */
export const maxLinkSeconds = 7 * 24 * 3600

/** Whose right a signed link depends on: it stops working when they lose it. */
export type LinkGrant = CallerRight & {
  /** `holder` of the caller who made it. */
  holder: string
  /** The account they made it in. */
  account: number
  /** The request that made it, for the conditions of policies. Null for a link in a delivery. */
  request: RequestParts | null
  /** Id of the delivery that it is sent by, which keeps the requests that its file was made by: each use judges them. */
  delivery?: string
  /** Digest of the rule by which the maker saw only some contacts; absent if they saw all. */
  rule?: string
}

/** The grant of a link that a caller makes by a request of a route. */
export function grantOf(
  { account, caller, rows = null }: Pick<AccountContext, 'account' | 'caller'> & { rows?: Stages | null },
  { access, action }: CallerRight,
  params: object = {},
  query: object = {},
): LinkGrant {
  return {
    holder: caller.holder,
    account,
    access,
    ...(action && { action }),
    request: { params, query, body: undefined },
    ...ruleOf(rows),
  }
}

/** The digest of a rule, which may be long. */
export function ruleOf(rows: Stages | null): Pick<LinkGrant, 'rule'> {
  return rows === null ? {} : { rule: createHash('sha256').update(textOfRule(rows)).digest('base64url') }
}

/** How a signed link may be used. */
export type LinkOptions = {
  /** At most `maxLinkSeconds`. An upload that has begun may take longer. */
  expiresInSeconds: number
  /** Media type a download is served with; uploads are taken whatever type the client sends. */
  contentType?: string
  /** File name that the browser suggests for a download. */
  downloadName?: string
  /**
   * Links to the portal itself (local disk) start at its root (`/api/files/…`), since a browser may know the portal by
   * another name than `PUBLIC_URL`. Absolute ones are for readers outside the portal: emails, deliveries.
   */
  absolute?: boolean
  /** Without one, a link works until it expires or its account is suspended. */
  grant?: LinkGrant
}

export type PutOptions = {
  contentType?: string
  signal?: AbortSignal
  /** Refuse with `link_invalid` if the file exists or is being written. Of concurrent uploads one wins. Disk only. */
  once?: boolean
  /** Of the content, if it is known before it arrives. */
  sizeBytes?: number
  /** Records the file once it is there, with its size in bytes. Until then it counts as one that is being stored. */
  record?: (sizeBytes: number) => Promise<void>
}

/**
 * Storage of files: the local disk or an S3 bucket. Keys are generated (`account/kind/uuid`), never taken from user input.
 */
export type Storage = {
  /**
   * Stores a stream. The file appears under its key only when it is complete; a partial one is removed. Returns the size
   * in bytes. Fails with `unavailable` when the disk is full, with `too_large` and `storage_full` over a limit.
   */
  put: (key: string, content: Readable, options?: PutOptions) => Promise<number>
  /** Reads the file, or its byte range [start, end). Throws `FileMissing` if it does not exist. */
  read: (key: string, range?: { start?: number; end?: number }) => Promise<Readable>
  /** Size in bytes, or null when there is no such file. */
  size: (key: string) => Promise<number | null>
  /** Removes the file if it exists. */
  remove: (key: string) => Promise<void>
  /** Removes what a writer that died has left of the file. The file itself stays; nothing may be writing it. */
  removeUnfinished: (key: string) => Promise<void>
  /** Throws `too_large` or `storage_full` if a file of that size may not be stored; for those that a bucket receives itself. */
  requireRoom: (key: string, sizeBytes: number) => Promise<void>
  /** The most bytes that an uploaded archive may unpack to; null for no limit. */
  unpackedBytes: number | null
  /** Returns a link that accepts the file by one PUT. */
  uploadUrl: (key: string, options: LinkOptions) => Promise<string>
  /** Returns a link to the portal that serves the file by GET. */
  downloadUrl: (key: string, options: LinkOptions) => Promise<string>
  /** Returns a link to the bucket itself that serves the file for a minute; null on a disk. */
  bucketUrl: (key: string, options: Pick<LinkOptions, 'contentType' | 'downloadName'>) => Promise<string | null>
}

/** The file was removed, or never existed; the message is for users. */
export class FileMissing extends AppError {
  constructor(message = 'The file no longer exists.') {
    super('not_found', undefined, message)
    this.name = 'FileMissing'
  }
}
