import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ErrorReply } from '@portico/contract/errors'

/** Maximum size of a request's URL and headers. The URL can hold a filter with lists of 10,000 values. */
export const headBytes = 1024 * 1024

/** Replies to bytes that cannot be parsed as a request, in the contract's error form. */
export function rejectUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (socket.writable) socket.write(replyTo(error.code))
  socket.destroy(error)
}

function replyTo(code: string | undefined): string {
  const [status, reply] = meaningOf(code)
  const body = JSON.stringify({ error: reply } satisfies ErrorReply)
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    `x-request-id: ${crypto.randomUUID()}`,
    'connection: close',
    '',
    body,
  ].join('\r\n')
}

function meaningOf(code: string | undefined): [status: number, ErrorReply['error']] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return [431, { code: 'too_large', message: 'The URL is too long. Save the filter and use its name instead.' }]
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return [408, { code: 'invalid_input', message: 'The request took too long to arrive.' }]
  }
  return [400, { code: 'invalid_input', message: 'This is not an HTTP request.' }]
}
