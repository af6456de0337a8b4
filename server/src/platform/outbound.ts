import { connect, type Socket } from 'node:net'
import type { Agent } from 'undici'
import { createOutboundGuard, type OutboundGuard } from './outbound-guard.ts'

/** Response of another server. */
type OutboundAnswer = { status: number; statusText: string; location: string | null; text: string }

type OutboundRequest = {
  method: 'GET' | 'POST' | 'PUT'
  headers: Record<string, string>
  body: string | null
}

/** Connections to addresses that users have named: none to a private network, none that hangs forever. */
export type Outbound = {
  /**
   * Asks and reads the answer to its end; redirects are answered, not followed. Of a long answer only the beginning is
   * read. @throws OutboundRefused, and whatever keeps the answer from coming whole
   */
  ask: (url: string, request: OutboundRequest, signal: AbortSignal) => Promise<OutboundAnswer>
  /** Opens a connection. It ends by itself when nothing moves for a minute. */
  connect: (host: string, port: number, signal: AbortSignal) => Promise<Socket>
}

const defaultTimeouts = { connectMs: 15_000, answerMs: 60_000, idleMs: 60_000 }
const maxAnswerBytes = 64 * 1024

/** `allow` is the setting OUTBOUND_ALLOW. */
export function createOutbound(allow: readonly string[], timeouts: Partial<typeof defaultTimeouts> = {}): Outbound {
  const { connectMs, answerMs, idleMs } = { ...defaultTimeouts, ...timeouts }
  const guard = createOutboundGuard(allow)
  let dispatcher: Promise<Agent> | undefined
  return {
    async ask(url, { method, headers, body }, signal) {
      const { fetch } = await loadHttp()
      dispatcher ??= guardedDispatcher(guard, connectMs)
      const answer = await fetch(url, {
        method,
        headers,
        ...(body !== null && { body }),
        dispatcher: await dispatcher,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      })
      const { status, statusText } = answer
      return { status, statusText, location: answer.headers.get('location'), text: await beginningOf(answer.body) }
    },
    async connect(host, port, signal) {
      guard.requireReachable(host)
      const socket = connect({ host, port, lookup: guard.lookup })
      await opened(socket, AbortSignal.any([signal, AbortSignal.timeout(connectMs)]))
      // Without it each small packet of SFTP waits for the answer to the one before.
      socket.setNoDelay(true)
      socket.setTimeout(idleMs, () => socket.destroy(new Error('The connection was idle for too long.')))
      return socket
    },
  }
}

/** It takes 20 MB of memory: too much for a thread that never asks. */
const loadHttp = () => import('undici')

async function guardedDispatcher(guard: OutboundGuard, connectMs: number): Promise<Agent> {
  const { Agent, buildConnector } = await loadHttp()
  const connector = buildConnector({ timeout: connectMs, lookup: guard.lookup })
  return new Agent({
    // Names are looked at when they are resolved; what is an address already never is.
    connect(options, done) {
      try {
        guard.requireReachable(options.hostname)
      } catch (error) {
        return done(error instanceof Error ? error : new Error(String(error)), null)
      }
      connector(options, done)
    },
    // Nothing is kept open: the next call may be hours away.
    pipelining: 0,
  })
}

async function beginningOf(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body ?? []) {
    pieces.push(piece)
    size += piece.length
    if (size >= maxAnswerBytes) break
  }
  return Buffer.concat(pieces).subarray(0, maxAnswerBytes).toString('utf8')
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
