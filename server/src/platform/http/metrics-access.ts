import type { FastifyRequest } from 'fastify'
import type { Config } from '#platform/config.ts'
import { createIpRanges } from '#platform/ip-ranges.ts'

const isLoopback = createIpRanges(['127.0.0.0/8', '::1'])
const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']

/**
 * Whether a request comes from this machine or an address that the operator allowed. A request through a proxy counts by
 * the address that a trusted proxy forwards; one through any other proxy, also on this machine, does not count.
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
    // Of what proxies tell, only X-Forwarded-For is read: without it, the address of a forwarded request is not known.
    if (isForwarded && (!isTrusted(peer) || headers['x-forwarded-for'] === undefined)) return false
    // A forwarded loopback address is the one of another machine, unless the proxy is on this one.
    return isLoopback(ip) ? isLoopback(peer) : isAllowed(ip)
  }
}
