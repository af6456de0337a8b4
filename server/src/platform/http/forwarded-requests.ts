import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#platform/app-error.ts'
import { limitedNetwork } from '#platform/limited-network.ts'
import { createHoldings } from '#platform/waits/holdings.ts'

/** Counts a request that comes through a trusted proxy, for its network. @throws too_many_requests */
export type ForwardedRequests = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * Limits the concurrent requests of a network that come through trusted proxies; requests of other networks are limited
 * by the number of their connections.
 * @param isProxy whether an address is that of a trusted proxy, whose own requests are not limited
 */
export function forwardedRequests(most: number, isProxy: (address: string) => boolean): ForwardedRequests {
  const inWork = createHoldings()
  return (request, reply) => {
    if (request.ip === request.socket.remoteAddress || isProxy(request.ip)) return
    const refusal = (): AppError => new AppError('too_many_requests')
    const end = inWork.take([{ party: limitedNetwork(request.ip), most, refusal }])
    request.leaveWork = end
    reply.raw.once('close', end)
  }
}
