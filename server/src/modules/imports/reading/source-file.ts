import type { Readable } from 'node:stream'

/** Bytes of the stored file: length and a stream of a range (end exclusive), from local disk or S3. */
export type SourceFile = {
  name: string
  sizeBytes: number
  stream: (start?: number, end?: number) => Promise<Readable>
}
