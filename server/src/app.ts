import compress from '@fastify/compress'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { activityRoutes } from '#activity'
import { accessRoutes } from '#access'
import { preferenceRoutes } from '#accounts'
import { credentialRoutes } from '#credentials'
import { auditRoutes, createRepeatedEntries, type RepeatedEntries } from '#audit'
import { fieldRoutes } from '#fields'
import { fileRoutes, newStorageKey } from '#files'
import {
  cacheCallers,
  createAuthenticate,
  createIdentityEffects,
  createPreferenceChecks,
  createSignInChecks,
  signInRoutes,
} from '#sign-in'
import { eventRoutes } from '#contacts'
import { dashboardRoutes, openCells } from '#dashboards'
import { deleteRoutes } from '#deletes'
import { deliveredLinkRefusal, deliveryRoutes, openTrials } from '#delivery'
import { downloadRoutes } from '#downloads'
import { exportRoutes } from '#exports'
import { checkRowRule, requireVisible } from '#filters'
import { geocodingRoutes } from '#geocoding'
import { contactEditRoutes } from '#contact-edits'
import { deleteUndoRoutes } from '#delete-undos'
import { dedupKeyRoutes } from '#dedup-keys'
import { handOverRoutes } from '#hand-overs'
import { importUndoRoutes } from '#import-undos'
import { contactAccountRoutes, importRoutes } from '#imports'
import { createSearchNotes, indexRoutes } from '#indexes'
import type { Context } from '#platform/http/context.ts'
import { sendError } from '#platform/http/errors.ts'
import { apiPrefix } from '#platform/http/serving.ts'
import { createIpRanges } from '#platform/ip-ranges.ts'
import type { Services } from '#platform/services.ts'
import { documentApi } from '#platform/http/openapi.ts'
import { forwardedRequests } from '#platform/http/forwarded-requests.ts'
import { createLimitedServer } from '#platform/http/limited-server.ts'
import { operationsRoutes } from '#platform/http/operations.ts'
import { limitSlowRequests, requestLimits } from '#platform/http/slow-requests.ts'
import { doorHeaders, securityHeaders } from '#platform/http/security-headers.ts'
import { rejectUnreadable } from '#platform/http/unreadable-requests.ts'
import { keepQuery, requireShortHead } from '#platform/http/url-limits.ts'
import { limitUnreadReplies } from '#platform/http/unread-replies.ts'
import { inlineScripts, serveWebApp } from '#platform/http/web-app.ts'
import { profileRoutes } from '#profile'
import { schedulerRoutes } from '#scheduler'
import { remoteAccessRoutes } from '#remote-access'
import { savedFilterRoutes } from '#saved-filters'
import { searchRoutes } from '#search'
import { segmentRoutes } from '#segments'
import { senderRoutes } from '#senders'
import { createConsumers, createTesters } from './consumers.ts'
import { recordCredentialRefusal, recordRefusal } from './refusal-audit.ts'
import { fieldUses, filterUses, judgedRequests, registrations } from './registrations.ts'

const routerOptions = {
  caseSensitive: false,
  ignoreTrailingSlash: true,
  maxParamLength: 12_000,
  querystringParser: keepQuery,
}

/**
 * Builds the web server: the routes of all modules, and the web app itself.
 * @param hasStarted whether the portal has started; `/readyz` must not report it earlier
 */
export async function buildApp(
  services: Services,
  limits = requestLimits,
  hasStarted: () => boolean = () => true,
): Promise<FastifyInstance> {
  const headers = securityHeaders(services.config, inlineScripts())
  const isProxy = createIpRanges(services.config.trustedProxies)
  const app = Fastify({
    // Fastify's narrower logger type keeps the instance's type the plain one.
    loggerInstance: services.log as FastifyBaseLogger,
    // Existing clients call the identity service without the prefix.
    rewriteUrl: (request) => (request.url ?? '/').replace(/^\/identity\/v1\//i, `${apiPrefix}/identity/v1/`),
    routerOptions,
    genReqId: () => crypto.randomUUID(),
    // Proxies whose forwarded address is trusted: none unless the operator lists them.
    trustProxy: services.config.trustedProxies.length > 0 ? services.config.trustedProxies : false,
    // Otherwise closing waits for clients that keep a connection open after an unread upload.
    forceCloseConnections: true,
    bodyLimit: 1024 * 1024,
    serverFactory: (handle) => createLimitedServer(handle, limits, isProxy),
    clientErrorHandler: rejectUnreadable,
    // A malformed URL, which does not reach any route.
    frameworkErrors: (error, request, reply) => {
      void reply.headers({ ...headers, 'x-request-id': request.id })
      sendError(error, request, reply)
    },
    // operations.ts logs one line per request, with its outcome.
    logController: new LogController({ disableRequestLogging: true }),
  })
  decorateRequests(app)
  const repeated = createRepeatedEntries(services.database.db, services.log)
  app.addHook('onClose', repeated.close)
  const { authenticate, expect } = cacheCallers(createAuthenticate(services.database, services.config))
  const enterForwarded = forwardedRequests(limits.connectionsOfNetwork, isProxy)
  app.addHook('onRequest', async (request, reply) => {
    const { isDoor = false, isProbe = false } = request.routeOptions.config
    void reply.headers(isDoor ? doorHeaders : headers).header('x-request-id', request.id)
    requireShortHead(request)
    if (!isProbe) enterForwarded(request, reply)
    if (isDoor || isProbe) return
    const context = contextFor(services, request, reply)
    const find = async () => ({ ...context, ...(await authenticate(request.headers, request.ip)) })
    const caller = request.routeOptions.config.isSpeculative ? expect(request.headers) : null
    if (caller) request.expected = { context: { ...context, caller, refusal: null }, find }
    else await authenticateRequest(request, find, repeated)
  })
  // A request that was held back must not act with rights that have been revoked in the meantime.
  app.addHook('preValidation', async (request) => {
    const { authenticated } = request
    if (!authenticated || performance.now() - authenticated.at < limits.callerMs) return
    await authenticateRequest(request, authenticated.find, repeated)
  })
  app.setErrorHandler((error, request, reply) => {
    recordRefusal(repeated, error, request)
    sendError(error, request, reply)
  })
  limitSlowRequests(app, limits)
  limitUnreadReplies(app, limits.unread)
  acceptJson(app)
  await app.register(compress, { global: true, threshold: 1024 })
  operationsRoutes(app, services, hasStarted)
  registerModules(app, services, repeated)
  await documentApi(app, services.config)
  await serveWebApp(app)
  return app
}

function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('context', null as unknown as Context)
  app.decorateRequest('expected', undefined)
  app.decorateRequest('authenticated', undefined)
  app.decorateRequest('leaveWork', undefined)
}

function acceptJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) =>
    // Many clients send the content type without a body.
    body === '' ? done(null, undefined) : parseJson(request, body, done),
  )
}

async function authenticateRequest(
  request: FastifyRequest,
  find: () => Promise<Context>,
  repeated: RepeatedEntries,
): Promise<void> {
  request.context = await find()
  request.authenticated = { at: performance.now(), find }
  recordCredentialRefusal(repeated, request.context, request.headers.authorization)
}

/** Registers each module's routes with the services it needs. */
function registerModules(app: FastifyInstance, services: Services, repeated: RepeatedEntries): void {
  const [trials, cells] = [openTrials(services), openCells(services.database)]
  // Modules import only earlier ones; functions of later modules are passed here.
  preferenceRoutes(app, createPreferenceChecks(services.config))
  const checks = createSignInChecks(services.jobs)
  const effects = createIdentityEffects(services.jobs, { checkRowRule })
  accessRoutes(app, services, effects, checks.requireConfirmedPassword)
  credentialRoutes(app, services, checks)
  signInRoutes(app, { ...services, repeated })
  fileRoutes(app, services, deliveredLinkRefusal)
  profileRoutes(app, services)
  // `audit` is the first module, so it cannot import storage keys from `files`.
  auditRoutes(app, { ...services, repeated }, (account) => newStorageKey(account, 'audit'))
  eventRoutes(app, requireVisible)
  geocodingRoutes(app, services)
  savedFilterRoutes(app)
  searchRoutes(app, services, createSearchNotes(services))
  segmentRoutes(app, services, filterUses)
  indexRoutes(app, services)
  importRoutes(app, services)
  fieldRoutes(app, services.jobs, { uses: fieldUses, judged: judgedRequests })
  dedupKeyRoutes(app, services)
  importUndoRoutes(app, services, fieldUses)
  deleteUndoRoutes(app, services)
  contactAccountRoutes(app)
  contactEditRoutes(app)
  exportRoutes(app, services)
  const consumers = createConsumers(services)
  schedulerRoutes(app, services, { consumers, testers: createTesters({ trials, cells }) })
  handOverRoutes(app, services, { consumers, requireConfirmedPassword: checks.requireConfirmedPassword })
  dashboardRoutes(app, cells)
  senderRoutes(app, services)
  deliveryRoutes(app, services, trials)
  remoteAccessRoutes(app, services)
  downloadRoutes(app, services, registrations)
  deleteRoutes(app, services)
  activityRoutes(app, services, registrations)
}

function contextFor(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Omit<Context, 'caller' | 'refusal'> {
  const gone = new AbortController()
  // Not the request's own event, which is emitted as soon as the body has been read.
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  return {
    db: services.database.db,
    address: request.ip,
    device: request.headers['user-agent'] ?? '',
    log: request.log as Context['log'],
    signal: gone.signal,
  }
}
