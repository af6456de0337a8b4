import type { Readable } from 'node:stream'

/** The stored file: length, limit and a stream of a range (end exclusive), from local disk or S3. */
export type SourceFile = {
  name: string
  sizeBytes: number
  /** The most bytes that it may unpack to; null for no limit. */
  unpackedBytes: number | null
  stream: (start?: number, end?: number) => Promise<Readable>
}
