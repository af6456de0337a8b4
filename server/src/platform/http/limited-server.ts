import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type ConnectionLimits, limitConnections } from './open-connections.ts'
import { endSlowReaders, type ReplyPace } from './reply-pace.ts'
import { requestTurns } from './request-turns.ts'
import { headBytes } from './unreadable-requests.ts'

/** Times of a connection in milliseconds, and the most at a time. */
export type ServerLimits = { headersMs: number; bodyMs: number; pace: ReplyPace } & ConnectionLimits

// Longer than proxies keep a connection that they do not use, so that they end it and lose no request.
const keptMs = 72_000

/**
 * An HTTP server whose connections cannot take more than their part: their number, the requests that they send ahead, and the
 * time for heads, for reading replies, and for bodies that go on after their reply are limited.
 * @param isProxy whether an address is that of a trusted proxy
 */
export function createLimitedServer(
  handle: RequestListener,
  limits: ServerLimits,
  isProxy: (address: string) => boolean,
): Server {
  const inTurn = requestTurns()
  const handleInTime: RequestListener = (request, response) => {
    endAfterReply(request, response, limits.bodyMs)
    handle(request, response)
  }
  const server = createServer({ maxHeaderSize: headBytes }, inTurn(handleInTime))
  server.keepAliveTimeout = keptMs
  server.headersTimeout = limits.headersMs
  // Bodies have limits of their own, by their size.
  server.requestTimeout = 0
  server.on(
    'checkExpectation',
    // Node.js replies the same if nothing listens, but keeps the connection.
    inTurn((_request, response) => void response.writeHead(417, { connection: 'close' }).end()),
  )
  limitConnections(server, limits, isProxy)
  endSlowReaders(server, limits.pace)
  return server
}

/** A reply may be sent before the end of the body: the rest, of a file too, is read for as long as a usual body. */
function endAfterReply(request: IncomingMessage, response: ServerResponse, bodyMs: number): void {
  response.once('finish', () => {
    if (request.complete) return
    const timer = setTimeout(() => request.destroy(), bodyMs).unref()
    request.once('close', () => clearTimeout(timer))
  })
}
