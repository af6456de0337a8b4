import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '#platform/http/context.ts'
import type { Authenticate } from './authentication.service.ts'

// People at work at the same moment; whoever is forgotten waits a moment longer for one answer.
const rememberedCallers = 500

/**
 * Remembers who came with a token last. Whether it is still so has to be found out for each request: what is expected
 * here is for beginning with the work meanwhile, and opens nothing.
 */
export function cacheCallers(authenticate: Authenticate): {
  authenticate: Authenticate
  expect: (headers: IncomingHttpHeaders) => Caller | null
} {
  const callers = new Map<string, Caller>()
  return {
    async authenticate(headers, address) {
      const asking = await authenticate(headers, address)
      const { authorization } = headers
      if (authorization === undefined) return asking
      // Whoever was seen longest ago is forgotten first.
      callers.delete(authorization)
      // The secret of an API credential is kept nowhere.
      if (asking.caller && asking.caller.kind !== 'credential') callers.set(authorization, asking.caller)
      const [oldest] = callers.keys()
      if (oldest !== undefined && callers.size > rememberedCallers) callers.delete(oldest)
      return asking
    },
    expect: ({ authorization }) => (authorization === undefined ? null : (callers.get(authorization) ?? null)),
  }
}
