import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Of a reply that waits to be read, `leastBytes` are read within each `withinMs`, until the last. */
export type ReplyPace = { leastBytes: number; withinMs: number }

/** 9 kB a second, which poor mobile connections reach. Those that break off for less than a minute go on. */
export const replyPace: ReplyPace = { leastBytes: 512 * 1024, withinMs: 60_000 }

/** When, and with how many bytes sent, a connection was last as fast as it must be. */
type Mark = { at: number; sent: number }

const looksWithin = 6

/**
 * Ends connections that read their replies too slowly, so that no one keeps a reply in memory, a file open or the connection
 * for as long as they like. Replies for which the portal itself is late are not slow: nothing of them waits to be read.
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
