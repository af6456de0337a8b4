import type { Readable } from 'node:stream'

/** How a signed link may be used by whoever holds it. */
export type LinkOptions = {
  expiresInSeconds: number
  /** Media type of the file; for uploads the client has to send the same. */
  contentType?: string
  /** Name the browser saves a download under. */
  downloadName?: string
}

/**
 * Where files are kept: the local disk or an S3 bucket. Keys are made by the portal (`account/kind/uuid`), never taken
 * from user input.
 */
export type Storage = {
  /** Stores a stream; the file appears under its key only when all of it has arrived. Answers its size in bytes. */
  put: (key: string, content: Readable, options?: { contentType?: string; signal?: AbortSignal }) => Promise<number>
  /** Reads the file, or the byte range [start, end); throws `FileMissing` when it isn't there. */
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
export class FileMissing extends Error {
  constructor(message = 'The file is no longer there.') {
    super(message)
    this.name = 'FileMissing'
  }
}
