import { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ServerLimits } from './limited-server.ts'
import { replyPace } from './reply-pace.ts'
import { type UnreadLimits, unreadLimits } from './unread-replies.ts'
import { rejectUnreadable } from './unreadable-requests.ts'

/** Limits of requests and replies: times in milliseconds, and maximum numbers. */
export type RequestLimits = {
  /** The caller is authenticated before the body is read, and again if the body took longer than this to arrive. */
  callerMs: number
  unread: UnreadLimits
} & ServerLimits

export const requestLimits: RequestLimits = {
  headersMs: 20_000,
  // 1 MiB in this time takes 0.3 Mbit/s.
  bodyMs: 30_000,
  // Nearly all bodies arrive with the head. Authenticating everyone twice would double the queries of small requests.
  callerMs: 1000,
  // A browser has up to six. Each costs some 10 kB of memory and a file descriptor, of which 4,096 are common.
  connections: 2000,
  // An office behind one address, or one attacker.
  connectionsOfNetwork: 500,
  pace: replyPace,
  unread: unreadLimits,
}

/**
 * Ends requests whose bodies arrive too slowly: an occasional byte must not keep a connection open. Bodies above the
 * usual size get more time, in proportion; routes with `config.isFile` have their own time limits until their reply.
 */
export function limitSlowRequests(app: FastifyInstance, { bodyMs }: Pick<RequestLimits, 'bodyMs'>): void {
  app.addHook('onRequest', async (request, reply) => {
    const { raw } = request
    // `inject` sends a request whole, without a connection.
    if (request.routeOptions.config.isFile || raw.complete || !(raw.socket instanceof Socket)) return
    const times = Math.max(1, (request.routeOptions.bodyLimit ?? 0) / usualBytes)
    const timer = setTimeout(() => endSlow(request, reply), bodyMs * times).unref()
    // Not when the reply is sent: the rest of the body may arrive after an early reply.
    const stop = (): void => clearTimeout(timer)
    raw.once('end', stop)
    raw.once('close', stop)
  })
}

const usualBytes = 1024 * 1024

function endSlow({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete) return
  if (reply.raw.headersSent) raw.destroy()
  else rejectUnreadable(Object.assign(new Error('slow request'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), raw.socket)
}
