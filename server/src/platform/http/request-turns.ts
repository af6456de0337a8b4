import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Requests that a connection may send before the replies to earlier ones. Browsers and proxies send none: they open
 * another connection. A few programs send one or two.
 */
const mostAhead = 2

type Ahead = { request: IncomingMessage; response: ServerResponse; handle: RequestListener }
type Line = { isBusy: boolean; ahead: Ahead[] }

/**
 * Hands over the requests of a connection one at a time: the next one when the reply to the last has been sent. Node.js
 * parses everything that arrives together at once, and a single small write can hold a thousand requests. A connection
 * that sends more than a few ahead is ended.
 */
export function requestTurns(): (handle: RequestListener) => RequestListener {
  const lines = new WeakMap<Socket, Line>()

  function begin(line: Line, { request, response, handle }: Ahead): void {
    line.isBusy = true
    response.once('close', () => {
      line.isBusy = false
      const next = line.ahead.shift()
      // After a reply that ends the connection, the next request has none.
      if (next?.response.socket && !next.response.socket.destroyed) begin(line, next)
    })
    handle(request, response)
  }
  return (handle) => (request, response) => {
    const { socket } = request
    // Data that had arrived before the connection was ended.
    if (socket.destroyed) return
    const line = lines.get(socket) ?? { isBusy: false, ahead: [] }
    lines.set(socket, line)
    if (!line.isBusy) begin(line, { request, response, handle })
    else if (line.ahead.length < mostAhead) line.ahead.push({ request, response, handle })
    else endAtOnce(socket)
  }
}

/** Declares Node.js' own parser, which its types omit. */
type Parsed = Socket & { parser?: { onIncoming: () => number } | null }

/** Ends the connection without parsing buffered data, from which Node.js would create twenty requests a millisecond. */
function endAtOnce(socket: Parsed): void {
  // Makes the parser treat further data as not being HTTP.
  if (socket.parser) socket.parser.onIncoming = () => 2
  socket.destroy()
}
