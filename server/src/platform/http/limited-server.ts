import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type ConnectionLimits, limitConnections } from './open-connections.ts'
import { endSlowReaders, type ReplyPace } from './reply-pace.ts'
import { requestTurns } from './request-turns.ts'
import { headBytes } from './unreadable-requests.ts'

/** Timeouts of a connection in milliseconds, and the maximum number of connections. */
export type ServerLimits = { headersMs: number; bodyMs: number; pace: ReplyPace } & ConnectionLimits

// Longer than proxies keep an idle connection: the proxy ends it, and no request is lost.
const keptMs = 72_000

/**
 * Creates an HTTP server whose connections have limits: their number, the requests that they send ahead, and the time
 * for heads, for reading replies, and for bodies that continue after their reply.
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
  // Bodies have their own limits, by size.
  server.requestTimeout = 0
  server.on(
    'checkExpectation',
    // Node.js sends the same reply by default, but keeps the connection.
    inTurn((_request, response) => void response.writeHead(417, { connection: 'close' }).end()),
  )
  limitConnections(server, limits, isProxy)
  endSlowReaders(server, limits.pace)
  return server
}

/** A reply may be sent before the end of the body: the rest, even of a file, may take as long as a usual body. */
function endAfterReply(request: IncomingMessage, response: ServerResponse, bodyMs: number): void {
  response.once('finish', () => {
    if (request.complete) return
    const timer = setTimeout(() => request.destroy(), bodyMs).unref()
    request.once('close', () => clearTimeout(timer))
  })
}
