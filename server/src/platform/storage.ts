import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Stages } from '@portico/contract/filter'
import { textOfRule } from '@portico/domain/pipeline/row-rules'
import type { AccountContext, CallerRight, RequestParts } from './http/context.ts'
import { AppError } from './app-error.ts'

/** Seven days: S3 signs for no longer, so no storage does. */
export const maxLinkSeconds = 7 * 24 * 3600

/** The right that a signed link depends on: the link stops working when its creator loses it. */
export type LinkGrant = CallerRight & {
  /** `holder` of the caller who created it. */
  holder: string
  /** The account in which it was created. */
  account: number
  /** The request that created it, for the conditions of policies. Null for a link in a delivery. */
  request: RequestParts | null
  /** Id of the delivery that contains the link. It keeps the requests that created its file: each use checks them. */
  delivery?: string
  /** Digest of the row rule of a creator who saw only some contacts; absent if they saw all. */
  rule?: string
}

/** Returns the grant of a link that a caller creates by a request of a route. */
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

/** Returns the digest of a rule, which may be long. */
export function ruleOf(rows: Stages | null): Pick<LinkGrant, 'rule'> {
  return rows === null ? {} : { rule: createHash('sha256').update(textOfRule(rows)).digest('base64url') }
}

/** How a signed link may be used. */
export type LinkOptions = {
  /** At most `maxLinkSeconds`. An upload that has begun may take longer. */
  expiresInSeconds: number
  /** Media type of the download; uploads are accepted with any type. */
  contentType?: string
  /** File name that the browser suggests for a download. */
  downloadName?: string
  /**
   * Links to the portal itself (local disk) are relative to its root (`/api/files/…`), since a browser may use another
   * host name than `PUBLIC_URL`. Absolute ones are for readers outside the portal: emails, deliveries.
   */
  absolute?: boolean
  /** Without one, a link works until it expires or its account is suspended. */
  grant?: LinkGrant
}

export type PutOptions = {
  contentType?: string
  signal?: AbortSignal
  /**
   * Refuse with `link_invalid` if the file exists or is being written. Of concurrent uploads one wins. Local disk only.
   */
  once?: boolean
  /** Size of the content, if it is known before it arrives. */
  sizeBytes?: number
  /** Records the file once it exists, with its size in bytes. Until then it counts as being stored. */
  record?: (sizeBytes: number) => Promise<void>
}

/**
 * Storage of files: the local disk or an S3 bucket. Keys are generated (`account/kind/uuid`), never taken from user
 * input.
 */
export type Storage = {
  /**
   * Stores a stream. The file appears under its key only when it is complete; a partial one is removed. Returns the
   * size in bytes. Fails with `unavailable` when the disk is full, with `too_large` and `storage_full` over a limit.
   */
  put: (key: string, content: Readable, options?: PutOptions) => Promise<number>
  /** Reads the file, or its byte range [start, end). Throws `FileMissing` if it does not exist. */
  read: (key: string, range?: { start?: number; end?: number }) => Promise<Readable>
  /** Size in bytes, or null when there is no such file. */
  size: (key: string) => Promise<number | null>
  /** Removes the file if it exists. */
  remove: (key: string) => Promise<void>
  /** Removes the remains of a writer that died. The file itself stays; it must not be written at the same time. */
  removeUnfinished: (key: string) => Promise<void>
  /** Throws `too_large` or `storage_full` if a file of that size may not be stored; for direct uploads to a bucket. */
  requireRoom: (key: string, sizeBytes: number) => Promise<void>
  /** The maximum bytes of an uploaded archive once unpacked; null for no limit. */
  unpackedBytes: number | null
  /** Returns a link for uploading the file with one PUT. */
  uploadUrl: (key: string, options: LinkOptions) => Promise<string>
  /** Returns a link to the portal for downloading the file with GET. */
  downloadUrl: (key: string, options: LinkOptions) => Promise<string>
  /** Returns a link to the bucket itself for downloading the file within a minute; null on a local disk. */
  bucketUrl: (key: string, options: Pick<LinkOptions, 'contentType' | 'downloadName'>) => Promise<string | null>
}

/** The file was removed, or never existed; the message is for users. */
export class FileMissing extends AppError {
  constructor(message = 'The file no longer exists.') {
    super('not_found', undefined, message)
    this.name = 'FileMissing'
  }
}
