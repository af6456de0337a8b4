import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** At least `leastBytes` of a reply that is waiting must be read within each `withinMs`, until the end. */
export type ReplyPace = { leastBytes: number; withinMs: number }

/** 9 kB a second, which poor mobile connections reach. A connection that stalls for less than a minute survives. */
export const replyPace: ReplyPace = { leastBytes: 512 * 1024, withinMs: 60_000 }

/** The last moment when a connection was fast enough, and the bytes that it had sent by then. */
type Mark = { at: number; sent: number }

const looksWithin = 6

/**
 * Ends connections that read their replies too slowly, which would otherwise keep a reply in memory, a file open or the
 * connection in use for any length of time. A reply that the portal itself delays is not slow: no data waits to be
 * read.
 */
export function endSlowReaders(server: Server, { leastBytes, withinMs }: ReplyPace): void {
  const marks = new Map<Socket, Mark | null>()
  const look = (): void => {
    const now = performance.now()
    for (const [socket, mark] of marks) {
      const sent = socket.bytesWritten - socket.writableLength
      if (socket.writableLength === 0) marks.set(socket, null)
      else if (!mark || sent - mark.sent >= leastBytes) marks.set(socket, { at: now, sent })
      else if (now - mark.at >= withinMs) socket.destroy()
    }
  }
  server.on('connection', (socket) => {
    marks.set(socket, null)
    socket.once('close', () => marks.delete(socket))
  })
  server.once('listening', () => {
    const timer = setInterval(look, withinMs / looksWithin).unref()
    server.once('close', () => clearInterval(timer))
  })
}
