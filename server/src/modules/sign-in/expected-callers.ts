import type { IncomingHttpHeaders } from 'node:http'
import { BoundedMap } from '#platform/memory/bounded-map.ts'
import type { Caller } from '#platform/http/context.ts'
import type { Authenticate } from './authentication.service.ts'

// About the number of concurrent users. An evicted caller only loses the head start of one request.
const cachedCallers = 500

/**
 * Caches the last caller of each token. An expected caller only lets work start early and grants nothing: each request
 * is still authenticated.
 */
export function cacheCallers(authenticate: Authenticate): {
  authenticate: Authenticate
  expect: (headers: IncomingHttpHeaders) => Caller | null
} {
  const callers = new BoundedMap<string, Caller>(cachedCallers)
  return {
    async authenticate(headers, address) {
      const authentication = await authenticate(headers, address)
      const { authorization } = headers
      if (authorization === undefined) return authentication
      callers.delete(authorization)
      // API credentials are left out: their header holds the secret.
      if (authentication.caller && authentication.caller.kind !== 'credential')
        callers.set(authorization, authentication.caller)
      return authentication
    },
    expect: ({ authorization }) => (authorization === undefined ? null : (callers.get(authorization) ?? null)),
  }
}
