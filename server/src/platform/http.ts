import { setImmediate } from 'node:timers/promises'
import type { ErrorCode, ErrorReply } from '@portico/contract/errors'
import { features } from '@portico/contract/features'
import type { AccountId, User } from '@portico/contract/identity'
import type { Action, Input, Reply, Route } from '@portico/contract/route'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { z } from 'zod'
import { AppError } from './app-error.ts'
import { type Db, isUnstorableText } from './database.ts'
import { type FieldProblem, problemsOf } from './input-problems.ts'
import type { Logger } from './log.ts'

/** What is read of the caller's account along with their rights, at every request. */
export type AccountFacts = {
  /** IANA name. */
  timeZone: string
  /** Counted up with each change of the account's fields. */
  fieldsVersion: number
}

/** Who is asking. Made by `identity` for each request that carries a valid token or API credential. */
export type Caller = {
  email: string
  personId: string
  /** By what they came: the session; the impersonation link; the identity that the credential belongs to. */
  sessionId: string
  /** The one account this request works in; null before one is chosen. */
  account: AccountId | null
  /** Of that account; null before one is chosen. */
  facts: AccountFacts | null
  /** What they have to do first, who came for an account and are in none before. */
  owes?: { code: ErrorCode; message: string }
  /** How the caller signed in: with a password, by an impersonation link, or with an API credential. */
  kind: 'session' | 'impersonation' | 'credential'
  isPowerAdmin: boolean
  isPowerUser: boolean
  /** Whether a policy of the caller allows the action, given the request's parts. */
  can: (action: Action, request: { params: unknown; query: unknown; body: unknown }) => boolean
  /** What the portal's pages know of the caller. */
  user: () => User
}

/** What a handler gets to know about the request, besides its input. */
export type Context = {
  db: Db
  caller: Caller | null
  /** Why there is no caller although the request came with a token or a credential. */
  refusal: { code: ErrorCode; message: string } | null
  /** The caller's address. */
  address: string
  device: string
  log: Logger
  /** Aborted when the client goes away before the answer. */
  signal: AbortSignal
}

/** The same for routes of which the server has made sure that the caller is signed in to an account. */
export type AccountContext = Context & { caller: Caller; account: AccountId }
type PersonContext = Context & { caller: Caller }

type ContextFor<R extends Route> = R['access'] extends 'public' | 'signed-url'
  ? Context
  : R['access'] extends 'person' | 'self'
    ? PersonContext
    : AccountContext

export type Handler<R extends Route> = (context: ContextFor<R>, input: Input<R>) => Promise<Reply<R>>

/** What a route that only reads gets to know: of its caller no more than the account they are in. */
export type ReadingContext = Pick<Context, 'db' | 'signal'> & { account: AccountId; facts: AccountFacts | null }

/** Where the API stands; contract paths are below it. */
export const apiPrefix = '/api'

/** Serves a contract route: signed in, allowed, input valid, then the handler, then the reply as the contract has it. */
export function serve<R extends Route>(app: FastifyInstance, route: R, handler: Handler<R>): void {
  const options: RouteOptions = {
    method: route.method,
    url: apiPrefix + route.path,
    handler: async (request, reply) => {
      requireAccess(route, request, request.context)
      const input = parseInput(route, request)
      const { context } = request
      const answer = await handler({ ...context, account: context.caller?.account } as ContextFor<R>, input)
      return sendAnswer(route, reply, answer)
    },
  }
  if (route.body instanceof z.ZodFile) serveBytes(app, route, options)
  else app.route(options)
}

/**
 * Serves a contract route that only reads. Reading begins at once as the one who came with the same token last, while the
 * caller is looked up; what it gives is sent if the caller may have it and is where that one was, else it is read anew
 * (ADR 0043).
 */
export function serveReading<R extends Route>(
  app: FastifyInstance,
  route: R,
  read: (context: ReadingContext, input: Input<R>) => Promise<Reply<R>>,
): void {
  const start = async (request: FastifyRequest, context: Context): Promise<Reply<R>> =>
    read(readingContext(context), parseInput(route, request))
  app.route({
    method: route.method,
    url: apiPrefix + route.path,
    config: { beginsEarly: true },
    handler: async (request, reply) => {
      const { expected } = request
      const early = expected && mayAccess(route, request, expected.context) ? start(request, expected.context) : null
      // Whatever goes wrong in it counts only if it is used.
      early?.catch(() => {})
      // What takes longest is sent on its way first.
      if (early) await setImmediate()
      if (expected) request.context = await expected.find()
      const { context } = request
      requireAccess(route, request, context)
      const isAsExpected = expected && isSamePlace(expected.context, context)
      return sendAnswer(route, reply, await ((isAsExpected && early) || start(request, context)))
    },
  })
}

function readingContext({ db, signal, caller }: Context): ReadingContext {
  const account = caller?.account
  if (!caller || typeof account !== 'number') throw new Error('A route that reads asks for an account.')
  return { db, signal, account, facts: caller.facts }
}

function isSamePlace({ caller: one }: Context, { caller: other }: Context): boolean {
  return (
    one?.account === other?.account &&
    one?.facts?.timeZone === other?.facts?.timeZone &&
    one?.facts?.fieldsVersion === other?.facts?.fieldsVersion
  )
}

function sendAnswer<R extends Route>(route: R, reply: FastifyReply, answer: unknown): FastifyReply {
  // The contract decides what leaves: a field it does not name is never sent.
  const body = route.status === 204 ? null : route.reply.parse(answer)
  return reply.code(route.status ?? 200).send(body)
}

/** A route whose body is a file: its bytes as they come, of whatever media type, up to the route's `maxBytes`. */
function serveBytes(app: FastifyInstance, route: Route, options: RouteOptions): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer' },
      async (_request: FastifyRequest, bytes: Buffer<ArrayBuffer>) => {
        return new File([bytes], 'body')
      },
    )
    scope.route({
      ...options,
      ...(route.maxBytes !== undefined && { bodyLimit: route.maxBytes }),
      onRequest: async (request) => {
        // Nobody who may not send it makes the portal read it.
        requireAccess(route, request, request.context)
        // The framework refuses a media type that it can't read; which one the client gives does not matter.
        delete request.raw.headers['content-type']
      },
    })
  })
}

/** 401 unless signed in where and when the caller may be, 403 unless they may do what the route is for. */
function requireAccess(route: Route, request: FastifyRequest, { caller, refusal }: Context): void {
  const { access } = route
  if (access === 'public' || access === 'signed-url') return
  if (!caller) throw new AppError(refusal?.code ?? 'not_signed_in', undefined, refusal?.message)
  if (access === 'person') return
  if (access === 'self') return requireSelf(caller)
  if (caller.account === null) {
    const { code, message } = caller.owes ?? { code: 'not_signed_in', message: 'Please choose an account.' }
    throw new AppError(code, undefined, message)
  }
  if (access === 'account') return
  if (access === 'administrator' || access === 'power-admin') return requireAdministrator(caller, access)
  requireAction(caller, access, request)
}

function mayAccess(route: Route, request: FastifyRequest, context: Context): boolean {
  try {
    requireAccess(route, request, context)
    return true
  } catch {
    return false
  }
}

/** Names what is missing, so that the person knows what to ask for. */
function requireAction(caller: Caller, action: Action, { params, query, body }: FastifyRequest): void {
  if (caller.can(action, { params, query, body })) return
  const missing = Object.entries(features).flatMap(([feature, needed]) => (needed === action ? [feature] : []))
  const named = missing.map((feature) => `"${feature}"`).join(' or ')
  const needs = named === '' ? `the action ${action}` : `${named} (${action})`
  const message = `You may not do this: it needs ${needs}. Contact your admin to see how you can get this feature.`
  throw new AppError('not_allowed', { action, features: missing }, message)
}

function requireSelf({ kind }: Caller): void {
  if (kind === 'session') return
  const message = 'Only somebody who has signed in with a password may do this, for themself.'
  throw new AppError('not_allowed', undefined, message)
}

function requireAdministrator(caller: Caller, access: 'administrator' | 'power-admin'): void {
  const isOne = caller.isPowerAdmin || (access === 'administrator' && caller.isPowerUser)
  if (isOne && caller.kind !== 'impersonation') return
  const who = access === 'administrator' ? 'power admins and power users' : 'power admins'
  throw new AppError('not_allowed', { needs: access }, `Only ${who} may do this.`)
}

function parseInput<R extends Route>(route: R, request: FastifyRequest): Input<R> {
  const problems: FieldProblem[] = []
  const part = (schema: z.ZodType | undefined, value: unknown): unknown => {
    const parsed = schema?.safeParse(value)
    if (parsed && !parsed.success) problems.push(...problemsOf(parsed.error))
    return parsed?.data
  }
  const params = part(route.params, request.params) as object | undefined
  const query = part(route.query, request.query) as object | undefined
  const body = part(route.body, request.body ?? {})
  const [first] = problems
  if (first) throw new AppError('invalid_input', problems, `${first.field}: ${first.message}`)
  return { ...params, ...query, ...(route.body && { body }) } as Input<R>
}

/** The one place that answers errors. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = toAppError(error)
  if (known.code === 'unexpected') request.log.error({ err: error }, 'unexpected error')
  const body: ErrorReply = {
    error: { code: known.code, message: known.message, ...(known.details !== undefined && { details: known.details }) },
  }
  void reply.code(known.status).send(body)
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isUnstorableText(error)) {
    const message = 'A text must not hold the character NUL.'
    return new AppError('invalid_input', [{ field: 'body', message }], message)
  }
  // What the web framework itself refuses: a body that isn't JSON, is too large, has no content type …
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : 500
  const text = error instanceof Error ? error.message : ''
  if (status === 413) return new AppError('too_large')
  if (status === 429) return new AppError('too_many_requests')
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new AppError('invalid_input', [{ field: 'body', message: text }], text)
  }
  return new AppError('unexpected')
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route knows what to do before it is known who asks. */
    beginsEarly?: boolean
  }
  interface FastifyRequest {
    /** Of a route that begins early and has somebody to expect: there as soon as that has come true or not. */
    context: Context
    /** As whom the caller came last with this token; and finds out who they are now. */
    expected?: { context: Context; find: () => Promise<Context> }
  }
}
