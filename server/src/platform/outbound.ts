import { connect, type Socket } from 'node:net'
import type { Agent } from 'undici'
import type { Asker } from './waits/name-lookups.ts'
import { createOutboundGuard, type OutboundGuard } from './outbound-guard.ts'

/** Response of another server. */
type OutboundResponse = { status: number; statusText: string; location: string | null; text: string }

type OutboundRequest = {
  method: 'GET' | 'POST' | 'PUT'
  headers: Record<string, string>
  body: string | null
}

/** The account that a connection is for, and the signal that ends it. */
export type OutboundUse = { account: Asker; signal: AbortSignal }

/** Connections to addresses given by users: never to private networks, always with a timeout. */
export type Outbound = {
  /**
   * Sends a request and reads the response, up to 64 KB, or only its status if the request was accepted (2xx). Redirects
   * are returned, not followed.
   * @throws OutboundRefused, NoPublicAddress, and network errors
   */
  request: (url: string, request: OutboundRequest, use: OutboundUse) => Promise<OutboundResponse>
  /**
   * Opens a connection for a process that takes it over: none of its data has been read. Its user must ensure progress
   * within `idleMs`.
   */
  connect: (host: string, port: number, use: OutboundUse) => Promise<Socket>
  /** Maximum time without progress on a connection. */
  idleMs: number
  /** Returns the maximum time for transferring this many bytes on a connection. */
  transferMs: (bytes: number) => number
  /** Maximum time that the process of a connection may compute without reporting progress. */
  stuckMs: number
}

const defaultTimeouts = {
  connectMs: 15_000,
  responseMs: 60_000,
  idleMs: 60_000,
  // Two minutes, plus the time for the bytes at 50 kB/s.
  transferMs: 120_000,
  bytesPerSecond: 50_000,
  stuckMs: 20_000,
}
const maxResponseBytes = 64 * 1024

/** `allow` is the setting OUTBOUND_ALLOW. */
export function createOutbound(allow: readonly string[], timeouts: Partial<typeof defaultTimeouts> = {}): Outbound {
  const { connectMs, responseMs, idleMs, transferMs, bytesPerSecond, stuckMs } = { ...defaultTimeouts, ...timeouts }
  const guard = createOutboundGuard(allow)
  return {
    async request(url, { method, headers, body }, { account, signal }) {
      const { fetch } = await loadHttp()
      const dispatcher = await guardedDispatcher(guard, { account, signal }, connectMs)
      try {
        const response = await fetch(url, {
          method,
          headers,
          ...(body !== null && { body }),
          dispatcher,
          redirect: 'manual',
          signal: AbortSignal.any([signal, AbortSignal.timeout(responseMs)]),
        })
        const { status, statusText, ok: isAccepted } = response
        return {
          status,
          statusText,
          location: response.headers.get('location'),
          // Reading on could only fail, and what was accepted would be sent again.
          text: isAccepted ? '' : await beginningOf(response.body),
        }
      } finally {
        void dispatcher.destroy()
      }
    },
    async connect(host, port, { account, signal }) {
      guard.requireReachable(host)
      const ending = AbortSignal.any([signal, AbortSignal.timeout(connectMs)])
      const socket = connect({ host, port, lookup: guard.lookupFor(account, signal) })
      // Otherwise the server's greeting would be read here.
      socket.pause()
      await opened(socket, ending)
      // Otherwise each small SFTP packet waits for the acknowledgement of the one before.
      socket.setNoDelay(true)
      return socket
    },
    idleMs,
    transferMs: (bytes) => transferMs + (bytes / bytesPerSecond) * 1000,
    stuckMs,
  }
}

/** Loaded on demand: it takes 20 MB of memory. */
const loadHttp = () => import('undici')

async function guardedDispatcher(
  guard: OutboundGuard,
  { account, signal }: OutboundUse,
  connectMs: number,
): Promise<Agent> {
  const { Agent, buildConnector } = await loadHttp()
  const connector = buildConnector({ timeout: connectMs, lookup: guard.lookupFor(account, signal) })
  return new Agent({
    // Host names are checked when they are resolved; literal addresses are only checked here.
    connect(options, done) {
      try {
        guard.requireReachable(options.hostname)
      } catch (error) {
        return done(error instanceof Error ? error : new Error(String(error)), null)
      }
      connector(options, done)
    },
    // Connections are not kept open: the next call may be hours later.
    pipelining: 0,
  })
}

async function beginningOf(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body ?? []) {
    pieces.push(piece)
    size += piece.length
    if (size >= maxResponseBytes) break
  }
  return Buffer.concat(pieces).subarray(0, maxResponseBytes).toString('utf8')
}

function opened(socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => void socket.destroy(signal.reason instanceof Error ? signal.reason : undefined)
    const settle = (done: () => void): void => {
      signal.removeEventListener('abort', stop)
      socket.off('error', fail)
      done()
    }
    const fail = (error: Error): void => settle(() => reject(error))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    socket.once('error', fail)
    socket.once('connect', () => settle(resolve))
  })
}
