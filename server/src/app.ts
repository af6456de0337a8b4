import compress from '@fastify/compress'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { activityRoutes } from '#activity'
import { administrationRoutes } from '#administration'
import { auditRoutes } from '#audit'
import { fileRoutes, newStorageKey } from '#files'
import { createAuthenticate, identityRoutes, rememberingCallers } from '#identity'
import { eventRoutes } from '#contacts'
import { deleteRoutes } from '#deletes'
import { deliveryRoutes } from '#delivery'
import { downloadRoutes } from '#downloads'
import { exportRoutes } from '#exports'
import { geocodingRoutes } from '#geocoding'
import { importRoutes } from '#imports'
import { indexRoutes } from '#indexes'
import { answerError, apiPrefix, type Context } from '#platform/http.ts'
import type { PortalParts } from '#platform/parts.ts'
import { documentApi } from '#platform/openapi.ts'
import { operationsRoutes } from '#platform/operations.ts'
import { securityHeaders } from '#platform/security-headers.ts'
import { answerUnreadable, headBytes } from '#platform/unreadable-requests.ts'
import { serveWebApp } from '#platform/web-app.ts'
import { profileRoutes } from '#profile'
import { savedFilterRoutes } from '#saved-filters'
import { searchRoutes } from '#search'
import { registrations } from './registrations.ts'

/** Builds the web server: every module's routes, and the web app itself. */
export async function buildApp(parts: PortalParts): Promise<FastifyInstance> {
  const headers = securityHeaders(parts.config)
  const app = Fastify({
    // Fastify's narrower logger type keeps the instance's type the plain one.
    loggerInstance: parts.log as FastifyBaseLogger,
    // The version of the identity service that clients know answers without the prefix too.
    rewriteUrl: (request) => (request.url ?? '/').replace(/^\/identity\/v1\//i, `${apiPrefix}/identity/v1/`),
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 12_000 },
    genReqId: () => crypto.randomUUID(),
    // Whose word is taken for the address that a request came from; nobody's unless the operator names them.
    trustProxy: parts.config.trustedProxies.length > 0 ? parts.config.trustedProxies : false,
    // Otherwise closing waits for clients that keep a connection after an upload that was never read.
    forceCloseConnections: true,
    bodyLimit: 1024 * 1024,
    http: { maxHeaderSize: headBytes },
    clientErrorHandler: answerUnreadable,
    // An address that is none, which no route gets to see.
    frameworkErrors: (error, request, reply) => {
      void reply.headers({ ...headers, 'x-request-id': request.id })
      answerError(error, request, reply)
    },
    // One line a request, with its outcome, is written when it is answered: see operations.ts.
    logController: new LogController({ disableRequestLogging: true }),
  })
  app.decorateRequest('context', null as unknown as Context)
  app.decorateRequest('expected', undefined)
  const { authenticate, expect } = rememberingCallers(createAuthenticate(parts.database, parts.config))
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(headers).header('x-request-id', request.id)
    const context = contextFor(parts, request, reply)
    const find = async () => ({ ...context, ...(await authenticate(request.headers, request.ip)) })
    const caller = request.routeOptions.config.beginsEarly ? expect(request.headers) : null
    if (caller) request.expected = { context: { ...context, caller, refusal: null }, find }
    else request.context = await find()
  })
  app.setErrorHandler(answerError)
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) =>
    // Many clients name the type of a body that they do not send.
    body === '' ? done(null, undefined) : parseJson(request, body, done),
  )
  await app.register(compress, { global: true, threshold: 1024 })
  operationsRoutes(app, parts)
  registerModules(app, parts)
  await documentApi(app, parts.config)
  await serveWebApp(app)
  return app
}

/** Each module's routes, with just what the module needs. */
function registerModules(app: FastifyInstance, parts: PortalParts): void {
  identityRoutes(app, parts)
  fileRoutes(app, parts)
  profileRoutes(app, parts)
  // The log is the lowest of the modules; where files are kept is known to a later one.
  auditRoutes(app, parts, (account) => newStorageKey(account, 'audit'))
  administrationRoutes(app, parts)
  eventRoutes(app)
  geocodingRoutes(app, parts)
  savedFilterRoutes(app)
  searchRoutes(app, parts)
  indexRoutes(app, parts)
  importRoutes(app, parts)
  exportRoutes(app, parts)
  deliveryRoutes(app, parts)
  downloadRoutes(app, parts, registrations)
  deleteRoutes(app, parts)
  activityRoutes(app, parts, registrations)
}

function contextFor(
  parts: PortalParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Omit<Context, 'caller' | 'refusal'> {
  const gone = new AbortController()
  // Not the request's own event: that is over as soon as its body was read.
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  return {
    db: parts.database.db,
    address: request.ip,
    device: request.headers['user-agent'] ?? '',
    log: request.log as Context['log'],
    signal: gone.signal,
  }
}
