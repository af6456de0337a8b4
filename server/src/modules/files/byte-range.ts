import type { IncomingHttpHeaders } from 'node:http'

/** The bytes [start, end) of a file. */
export type ByteRange = { start: number; end: number }

/**
 * The range of a file that a client requests (RFC 9110 §14). Null means the whole file: the request has no range,
 * several ranges or an invalid one, or the client has the beginning of another file.
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
