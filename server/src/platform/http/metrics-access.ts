import type { FastifyRequest } from 'fastify'
import type { Config } from '#platform/config.ts'
import { createIpRanges } from '#platform/ip-ranges.ts'

const isLoopback = createIpRanges(['127.0.0.0/8', '::1'])
const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']

/**
 * Returns whether a request comes from this machine or from an address that the operator allowed. A request through a
 * trusted proxy counts by the address that the proxy forwards; one through any other proxy, even on this machine, is
 * refused.
 */
export function createMetricsAccess({
  metricsAllow,
  trustedProxies,
}: Pick<Config, 'metricsAllow' | 'trustedProxies'>): (
  request: Pick<FastifyRequest, 'ip' | 'headers' | 'socket'>,
) => boolean {
  const isAllowed = createIpRanges(metricsAllow)
  const isTrusted = createIpRanges(trustedProxies)
  return ({ ip, headers, socket: { remoteAddress: peer = '' } }) => {
    const isForwarded = forwardingHeaders.some((name) => headers[name] !== undefined)
    // Of proxies' headers, only X-Forwarded-For is read: without it, the address of a forwarded request is unknown.
    if (isForwarded && (!isTrusted(peer) || headers['x-forwarded-for'] === undefined)) return false
    // A forwarded loopback address is that of another machine, unless the proxy runs on this one.
    return isLoopback(ip) ? isLoopback(peer) : isAllowed(ip)
  }
}
