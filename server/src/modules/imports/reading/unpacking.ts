/** Unpacks streams, and refuses files that unpack to far more than a real one would. */
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Gunzip, InflateRaw } from 'node:zlib'
import type { SourceFile } from './source-file.ts'
import { FileRefused } from './source-text-refused.ts'

export const CUT_SHORT = 'The file is damaged: it ends before its compressed data does.'
export const UNREADABLE = 'The file is damaged: its compressed data cannot be read.'

/** zlib's default of 16 kB makes four times as many calls. */
export const CHUNK_BYTES = 64 * 1024

/**
 * A small file that unpacks to a huge one is an attack. Tables of contacts shrink to a tenth, very repetitive ones to a
 * fiftieth; zlib reaches a ratio of 1,032 with zeros. Below 100 MB there is no harm.
 */
const MAX_UNPACKED_RATIO = 250
const HARMLESS_BYTES = 100 * 1024 * 1024

/** @throws FileRefused if the packed bytes produce far more than those of a real file would */
export function requireRatio(unpackedBytes: number, packedBytes: number): void {
  if (unpackedBytes > HARMLESS_BYTES && unpackedBytes > MAX_UNPACKED_RATIO * packedBytes) {
    throw new FileRefused(
      `The file unpacks to more than ${MAX_UNPACKED_RATIO} times its size, far more than a contact file would.`,
    )
  }
}

/** Unpacks a stream; `onBytesRead` gets the number of packed bytes consumed. @throws FileRefused */
export async function* unpack(
  packed: Readable,
  engine: Gunzip | InflateRaw,
  onBytesRead: (sofar: number) => void,
): AsyncGenerator<Buffer> {
  // Errors of either stream surface in the loop below; leaving it early destroys both.
  pipeline(packed, engine).catch(() => {})
  let unpackedBytes = 0
  try {
    for await (const chunk of engine as AsyncIterable<Buffer>) {
      unpackedBytes += chunk.length
      // zlib's `bytesWritten` counts the bytes it has consumed, without those in its buffers.
      requireRatio(unpackedBytes, engine.bytesWritten)
      onBytesRead(engine.bytesWritten)
      yield chunk
    }
  } catch (error) {
    throw asDamage(error)
  }
}

const checkpointMs = 1000

/** @throws FileRefused beyond the limit of the installation, or of the request that reads the file */
export async function* limited(
  bytes: AsyncGenerator<Buffer>,
  { unpackedBytes, meter, checkpoint }: SourceFile,
): AsyncGenerator<Buffer> {
  let sofar = 0
  let last = performance.now()
  for await (const chunk of meter ? meter.pass(bytes) : bytes) {
    sofar += chunk.length
    if (checkpoint && performance.now() - last >= checkpointMs) {
      await checkpoint()
      last = performance.now()
    }
    if (unpackedBytes !== null && sofar > unpackedBytes) {
      const limit = unpackedBytes.toLocaleString('en-US')
      throw new FileRefused(`The file unpacks to more than ${limit} bytes, the limit of this portal.`)
    }
    yield chunk
  }
}

function asDamage(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'Z_BUF_ERROR') return new FileRefused(CUT_SHORT)
  return code.startsWith('Z_') ? new FileRefused(UNREADABLE) : error
}
