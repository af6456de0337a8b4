import type { IncomingHttpHeaders } from 'node:http'

/** The bytes [start, end) of a file. */
export type ByteRange = { start: number; end: number }

/**
 * Which part of a file a client asks for (RFC 9110 §14). Null means all of it: nothing was asked, or several ranges at
 * once, or something that is no range, or the file is not the one of which the client has the beginning.
 */
export function requestedRange(
  { range, 'if-range': known }: IncomingHttpHeaders,
  etag: string,
  sizeBytes: number,
): ByteRange | 'none of it' | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return null
  if (known !== undefined && known !== etag) return null
  if (first === '') return within(sizeBytes - Number(last), sizeBytes, sizeBytes)
  if (last !== '' && Number(last) < Number(first)) return null
  return within(Number(first), last === '' ? sizeBytes : Number(last) + 1, sizeBytes)
}

function within(start: number, end: number, sizeBytes: number): ByteRange | 'none of it' {
  if (start >= sizeBytes) return 'none of it'
  return { start: Math.max(0, start), end: Math.min(end, sizeBytes) }
}
