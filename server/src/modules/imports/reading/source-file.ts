import type { Readable } from 'node:stream'
import type { ReadingMeter } from './reading-meter.ts'

/** A stored file: length, limit and a stream of a range (end exclusive), from the local disk or S3. */
export type SourceFile = {
  name: string
  sizeBytes: number
  /** Maximum number of unpacked bytes; null for no limit. */
  unpackedBytes: number | null
  /** Limits how much a request reads; imports, which are jobs, have no such limit. */
  meter?: ReadingMeter
  /** Throws once the job that reads the file is to stop; asked about every second of reading. */
  checkpoint?: () => Promise<void>
  stream: (start?: number, end?: number) => Promise<Readable>
}
