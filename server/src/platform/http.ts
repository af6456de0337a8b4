import type { ErrorReply } from '@portico/contract/errors'
import type { AccountId } from '@portico/contract/identity'
import type { Action, Input, Reply, Route } from '@portico/contract/route'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { AppError } from './app-error.ts'
import { type Db, isUnstorableText } from './database.ts'
import { type FieldProblem, problemsOf } from './input-problems.ts'
import type { Logger } from './log.ts'

/** Who is asking. Made by `identity` for each request that carries a valid token. */
export type Caller = {
  email: string
  personId: string
  sessionId: string
  /** The one account this request works in; null before one is chosen. */
  account: AccountId | null
  /** Whether a policy of the caller allows the action, given the request's parts. */
  can: (action: Action, request: { params: unknown; query: unknown; body: unknown }) => boolean
}

/** What a handler gets to know about the request, besides its input. */
export type Context = {
  db: Db
  caller: Caller | null
  /** Why there is no caller although the request came with a token; for people. */
  refusal: string | null
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
  : R['access'] extends 'person'
    ? PersonContext
    : AccountContext

export type Handler<R extends Route> = (context: ContextFor<R>, input: Input<R>) => Promise<Reply<R>>

/** Where the API stands; contract paths are below it. */
export const apiPrefix = '/api'

/** Serves a contract route: signed in, allowed, input valid, then the handler, then the reply as the contract has it. */
export function serve<R extends Route>(app: FastifyInstance, route: R, handler: Handler<R>): void {
  app.route({
    method: route.method,
    url: apiPrefix + route.path,
    handler: async (request, reply) => {
      requireAccess(route, request)
      const input = parseInput(route, request)
      const { context } = request
      const answer = await handler({ ...context, account: context.caller?.account } as ContextFor<R>, input)
      // The contract decides what leaves: a field it does not name is never sent.
      const body = route.status === 204 ? null : route.reply.parse(answer)
      return reply.code(route.status ?? 200).send(body)
    },
  })
}

/** 401 unless signed in, 403 unless the caller holds the route's action in the account of the token. */
function requireAccess(route: Route, request: FastifyRequest): void {
  const { access } = route
  if (access === 'public' || access === 'signed-url') return
  const { caller, refusal } = request.context
  if (!caller) throw new AppError('not_signed_in', undefined, refusal ?? undefined)
  if (access === 'person') return
  if (caller.account === null) throw new AppError('not_signed_in', undefined, 'Please choose an account.')
  if (access === 'account') return
  if (!caller.can(access, { params: request.params, query: request.query, body: request.body })) {
    throw new AppError('not_allowed', { action: access })
  }
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
  interface FastifyRequest {
    context: Context
  }
}
