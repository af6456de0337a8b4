import { publicAccessApi } from '@portico/contract/public-access'
import type { Route } from '@portico/contract/route'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, invalidField } from '#platform/app-error.ts'
import { sendError } from '#platform/http/errors.ts'
import { apiPrefix } from '#platform/http/serving.ts'
import { readQuery } from '#platform/http/url-limits.ts'
import { readInput } from '#platform/input-problems.ts'
import { type CallSender, readSender } from '../caller-origin.ts'
import { collectEvents, type Collector } from '../collector/collector.service.ts'
import { admitAddress, type Call, type Door, requireLetIn, serveContact } from './door.service.ts'
import { readValues } from './judge-call.ts'
import type { ProxyWatch } from './proxy-watch.ts'

type DoorRequest = { call: Call; allow: () => void }
type Handle = (request: DoorRequest, from: FastifyRequest) => Promise<unknown>

/** Seconds for which browsers cache a preflight. A preflight grants nothing, so it may outlive an access. */
const preflightSeconds = 600

/**
 * The calls that pages of other sites make. Separate from all other routes: sessions, cookies and credentials are
 * ignored, and the response headers differ.
 */
export function doorRoutes(app: FastifyInstance, collector: Collector, proxies: ProxyWatch): void {
  const { door } = collector
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // Pages send JSON as text/plain, which needs no preflight.
    scope.addContentTypeParser<string>(
      ['text/plain', 'application/json'],
      { parseAs: 'string' },
      async (_request: FastifyRequest, body: string) => body,
    )

    const serveDoor = (route: Route, handle: Handle): void => {
      const url = apiPrefix + route.path
      const options = {
        url,
        config: { isDoor: true },
        compress: false as const,
        exposeHeadRoute: false,
        ...(route.maxBytes !== undefined && { bodyLimit: route.maxBytes }),
        errorHandler: sendError,
      }
      scope.route({
        ...options,
        method: route.method,
        handler: async (request, reply) => {
          proxies.notice(request)
          const asked = admitRequest(door, request, reply)
          const result = await handle(asked, request)
          return reply.code(route.status ?? 200).send(route.reply.parse(result))
        },
      })
      scope.route({
        ...options,
        method: 'OPTIONS',
        handler: async (request, reply) => {
          const { call, allow } = admitRequest(door, request, reply)
          const isAsked = request.headers['access-control-request-method'] === route.method
          if (!call.sender.hasOrigin || !isAsked) throw new AppError('access_refused')
          await requireLetIn(door, call)
          allow()
          void reply.header('access-control-allow-methods', route.method)
          if (route.body) void reply.header('access-control-allow-headers', 'content-type')
          return reply.header('access-control-max-age', preflightSeconds).code(204).send()
        },
      })
    }
    serveDoor(publicAccessApi.readPublicOffer, async ({ call, allow }) => {
      const { access, offer } = await serveContact(door, call, allow)
      door.usage.count(call.account, access.id, { served: 1 })
      return offer
    })
    serveDoor(publicAccessApi.recordPublicEvents, async ({ call, allow }, { body, headers }) => {
      const contact = await serveContact(door, call, allow)
      return collectEvents(collector, call, contact, { body, userAgent: headers['user-agent'] ?? '' })
    })
  })
}

/** Counts a request for its address, then reads its sender and the contact it asks for. */
function admitRequest(door: Door, request: FastifyRequest, reply: FastifyReply): DoorRequest {
  const { origin } = request.headers
  const sender = readSender(request.headers, request.ip)
  admitAddress(door, sender.address, () => readCall(request, sender))
  const call = readCall(request, sender)
  const allow = (): void => {
    if (sender.hasOrigin && origin !== undefined) void reply.header('access-control-allow-origin', origin)
  }
  return { call, allow }
}

/**
 * Reads the query separately from the path: a column name in it cannot replace the account.
 * @throws invalid_input, access_refused
 */
function readCall(request: FastifyRequest, sender: CallSender): Call {
  const { data } = readInput(publicAccessApi.readPublicOffer.params, request.params)
  const values = readValues(readQuery(request))
  if (!values) throw invalidField('query', 'Each name may be given once.')
  // Only a number can name an account.
  if (!data) throw new AppError('access_refused')
  return { account: data.account, sender, values }
}
