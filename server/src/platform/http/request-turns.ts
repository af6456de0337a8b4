import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Requests that a connection may send ahead of the replies to earlier ones. Browsers and proxies send none: they take a further
 * connection. A few programs send one or two.
 */
const mostAhead = 2

type Ahead = { request: IncomingMessage; response: ServerResponse; handle: RequestListener }
type Line = { isBusy: boolean; ahead: Ahead[] }

/**
 * Hands over the requests of a connection one at a time: the next one when the reply to the last has been sent. Node.js parses
 * all that arrive together at once, and one small write can hold a thousand. A connection that sends more than a few ahead is
 * ended.
 */
export function requestTurns(): (handle: RequestListener) => RequestListener {
  const lines = new WeakMap<Socket, Line>()

  function begin(line: Line, { request, response, handle }: Ahead): void {
    line.isBusy = true
    response.once('close', () => {
      line.isBusy = false
      const next = line.ahead.shift()
      // A reply that ends the connection leaves the next one without it.
      if (next?.response.socket && !next.response.socket.destroyed) begin(line, next)
    })
    handle(request, response)
  }
  return (handle) => (request, response) => {
    const { socket } = request
    // The rest of what had arrived before the connection was ended.
    if (socket.destroyed) return
    const line = lines.get(socket) ?? { isBusy: false, ahead: [] }
    lines.set(socket, line)
    if (!line.isBusy) begin(line, { request, response, handle })
    else if (line.ahead.length < mostAhead) line.ahead.push({ request, response, handle })
    else endAtOnce(socket)
  }
}

/** With Node.js' own parser, which its types leave out. */
type Parsed = Socket & { parser?: { onIncoming: () => number } | null }

/** Without reading what has arrived: Node.js would still make requests of it, twenty in a millisecond. */
function endAtOnce(socket: Parsed): void {
  // Says that what follows is no HTTP.
  if (socket.parser) socket.parser.onIncoming = () => 2
  socket.destroy()
}
