import { setImmediate } from 'node:timers/promises'
import type { Input, Reply, Route } from '@portico/contract/route'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { z } from 'zod'
import { AppError } from '#platform/app-error.ts'
import { type FieldProblem, readInput } from '#platform/input-problems.ts'
import type { Context, ContextFor, Handler, SpeculativeContext } from './context.ts'
import { mayAccess, requireAccess } from './guards.ts'

/** Prefix of every contract path. */
export const apiPrefix = '/api'

/** Serves a contract route: checks access, then the input, runs the handler and sends what the contract's reply names. */
export function serve<R extends Route>(app: FastifyInstance, route: R, handler: Handler<R>): void {
  const options: RouteOptions = {
    method: route.method,
    url: apiPrefix + route.path,
    handler: async (request, reply) => {
      requireAccess(route, request, request.context)
      const input = parseInput(route, request)
      return sendReply(route, reply, await handler(handlerContext<R>(request.context), input))
    },
  }
  if (route.body instanceof z.ZodFile) serveBytes(app, route, options)
  else app.route(route.maxBytes === undefined ? options : { ...options, ...largeBody(route, route.maxBytes) })
}

/** JSON above the usual size, read from known callers only. Their rights may depend on what it says. */
function largeBody(route: Route, maxBytes: number): Pick<RouteOptions, 'bodyLimit' | 'onRequest'> {
  return {
    bodyLimit: maxBytes,
    onRequest: async (request) => {
      if (!request.context.caller) requireAccess(route, request, request.context)
    },
  }
}

/** The guard has made sure of the caller and the account wherever the route's context type has them. */
function handlerContext<R extends Route>(context: Context): ContextFor<R> {
  const { caller, address } = context
  return {
    ...context,
    ...(caller && { account: caller.account, actor: { actor: caller.email, address } }),
  } as ContextFor<R>
}

/**
 * Serves a contract route that only reads, in parallel with authentication: `read` starts at once as the last caller with
 * the same token. Its result is sent only if authentication lets the caller have it and finds the same account with the
 * same facts; otherwise the route reads again (ADR 0043).
 */
export function serveSpeculatively<R extends Route>(
  app: FastifyInstance,
  route: R,
  read: (context: SpeculativeContext, input: Input<R>) => Promise<Reply<R>>,
): void {
  const start = async (request: FastifyRequest, context: Context): Promise<Reply<R>> =>
    read(speculativeContext(context), parseInput(route, request))
  app.route({
    method: route.method,
    url: apiPrefix + route.path,
    config: { isSpeculative: true },
    handler: async (request, reply) => {
      const { expected } = request
      const early = expected && mayAccess(route, request, expected.context) ? start(request, expected.context) : null
      // Its failure only matters if its result is used.
      early?.catch(() => {})
      // Lets the slower statements be sent first.
      if (early) await setImmediate()
      if (expected) request.context = await expected.find()
      const { context } = request
      requireAccess(route, request, context)
      const isAsExpected = expected && isSameAccount(expected.context, context)
      return sendReply(route, reply, await ((isAsExpected && early) || start(request, context)))
    },
  })
}

function speculativeContext({ db, signal, caller }: Context): SpeculativeContext {
  const account = caller?.account
  if (!caller || typeof account !== 'number') throw new Error('A speculative route needs access to an account.')
  return { db, signal, account, facts: caller.facts }
}

function isSameAccount({ caller: one }: Context, { caller: other }: Context): boolean {
  return one?.account === other?.account && one?.facts?.version === other?.facts?.version
}

function sendReply<R extends Route>(route: R, reply: FastifyReply, result: unknown): FastifyReply {
  // Drops fields that the contract does not name.
  const body = route.status === 204 ? null : route.reply.parse(result)
  return reply.code(route.status ?? 200).send(body)
}

/** Serves a route whose body is a file: bytes of any media type, up to the route's `maxBytes`. */
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
        // Refuses before the body is read.
        requireAccess(route, request, request.context)
        // Fastify refuses media types without a parser; any type is fine here.
        delete request.raw.headers['content-type']
      },
    })
  })
}

function parseInput<R extends Route>(route: R, request: FastifyRequest): Input<R> {
  const problems: FieldProblem[] = []
  const part = (schema: z.ZodType | undefined, value: unknown): unknown => {
    if (!schema) return undefined
    const read = readInput(schema, value)
    problems.push(...(read.problems ?? []))
    return read.data
  }
  const params = part(route.params, request.params) as object | undefined
  const query = part(route.query, request.query) as object | undefined
  const body = part(route.body, request.body ?? {})
  const [first] = problems
  if (first) throw new AppError('invalid_input', problems, `${first.field}: ${first.message}`)
  return { ...params, ...query, ...(route.body && { body }) } as Input<R>
}
