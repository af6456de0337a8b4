import type { Readable } from 'node:stream'
import { AppError } from './app-error.ts'

/** Seven days: S3 signs for no longer, so no storage does. */
export const maxLinkSeconds = 7 * 24 * 3600

/** How a signed link may be used. */
export type LinkOptions = {
  /** At most `maxLinkSeconds`. An upload that has begun may take longer. */
  expiresInSeconds: number
  /** Media type a download is served with; uploads are taken whatever type the client sends. */
  contentType?: string
  /** Name the browser saves a download under. */
  downloadName?: string
  /**
   * Links to the portal itself (local disk) start at its root (`/api/files/…`), since a browser may know the portal by
   * another name than `PUBLIC_URL`. Absolute ones are for readers outside the portal: emails, deliveries.
   */
  absolute?: boolean
}

export type PutOptions = {
  contentType?: string
  signal?: AbortSignal
  /** Refuse with `link_invalid` what is there already, or being written. Of several at once one wins. Disk only. */
  once?: boolean
}

/**
 * Where files are kept: the local disk or an S3 bucket. Keys are made by the portal (`account/kind/uuid`), never taken
 * from user input.
 */
export type Storage = {
  /**
   * Stores a stream; the file appears under its key only when all of it has arrived, and nothing is left of it
   * otherwise. Returns its size in bytes. Fails with `unavailable` when there is no room.
   */
  put: (key: string, content: Readable, options?: PutOptions) => Promise<number>
  /** Reads the file, or the byte range [start, end) of it; throws `FileMissing` when it isn't there. */
  read: (key: string, range?: { start?: number; end?: number }) => Promise<Readable>
  /** Size in bytes, or null when there is no such file. */
  size: (key: string) => Promise<number | null>
  /** Removing what is not there is no error. */
  remove: (key: string) => Promise<void>
  /** A link that takes the file by one PUT. */
  uploadUrl: (key: string, options: LinkOptions) => Promise<string>
  /** A link that gives the file by GET. */
  downloadUrl: (key: string, options: LinkOptions) => Promise<string>
}

/** The file was there once, or never; the message is for people. */
export class FileMissing extends AppError {
  constructor(message = 'The file no longer exists.') {
    super('not_found', undefined, message)
    this.name = 'FileMissing'
  }
}
