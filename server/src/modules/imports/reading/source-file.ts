import type { Readable } from 'node:stream'
import type { ReadingMeter } from './reading-meter.ts'

/** The stored file: length, limit and a stream of a range (end exclusive), from local disk or S3. */
export type SourceFile = {
  name: string
  sizeBytes: number
  /** The most bytes that it may unpack to; null for no limit. */
  unpackedBytes: number | null
  /** Limits what a request reads; imports, which are jobs, have none. */
  meter?: ReadingMeter
  stream: (start?: number, end?: number) => Promise<Readable>
}
