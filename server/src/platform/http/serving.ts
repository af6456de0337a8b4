import { finished } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Stages } from '@portico/contract/filter'
import { type Input, isOpenAccess, type Reply, type Route } from '@portico/contract/route'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { z } from 'zod'
import { AppError, sessionEnded } from '#platform/app-error.ts'
import type {
  AccountContext,
  Caller,
  Context,
  ContextFor,
  Handler,
  RequestParts,
  SpeculativeContext,
} from './context.ts'
import { beginReading } from '#platform/waits/reading-limits.ts'
import { type Beneficiary, markFor } from '#platform/waits/shares.ts'
import { requireAccess } from './guards.ts'
import { type ReadRequest, readRequest } from './read-request.ts'

/** Prefix of every contract path. */
export const apiPrefix = '/api'

// Anyone may send one: it holds a few fields, and each problem is in the reply.
const publicBodyBytes = 64 * 1024

/** A route that names all that it acts on in its request. */
type OwnRoute = Route & { isJudgedAsStored?: undefined }

/** Serves a contract route: checks access and input, runs the handler and sends only the contract's fields. */
export function serve<R extends OwnRoute>(app: FastifyInstance, route: R, handler: Handler<R>): void {
  serveCall(app, route, { judgedRequests: null, handler })
}

/** Finds the requests that conditions judge, by the request as sent; at least one. */
type JudgedRequests<R extends Route> = (
  context: StoredContext,
  input: Input<R>,
  sent: RequestParts,
) => Promise<[RequestParts, ...RequestParts[]]>

/** How a call is judged and carried out. Without `judgedRequests`, conditions judge the request as sent. */
export type ServedCall<R extends Route> = { judgedRequests: JudgedRequests<R> | null; handler: Handler<R> }

export function serveCall<R extends Route>(
  app: FastifyInstance,
  route: R,
  { judgedRequests, handler }: ServedCall<R>,
): void {
  const options: RouteOptions = {
    method: route.method,
    url: apiPrefix + route.path,
    config: { takesLongQuery: takesLongQuery(route) },
    ...(route.access === 'public' && { bodyLimit: publicBodyBytes }),
    handler: async (request, reply) => {
      const { context } = request
      const isAsSent = judgedRequests === null
      const { input, judged: sent } = admit(route, context, () => readRequest(route, request), isAsSent)
      const work = async (): Promise<Reply<R>> => {
        const judged = isAsSent ? ([sent] as const) : await judgedRequests(storedContext(context), input, sent)
        if (!isAsSent) for (const each of judged) requireAccess(route, context, each)
        const rows = rowsFor(route, context, judged[0])
        const callerNow = async (): Promise<Caller> => findCallerNow(route, request, judged)
        return handler(handlerContext<R>(context, { rows, callerNow }), input)
      }
      return sendReply(route, reply, await countRead(reply, context, work))
    },
  }
  if (route.body instanceof z.ZodFile) serveBytes(app, route, options)
  else app.route(route.maxBytes === undefined ? options : { ...options, ...largeBody(route, route.maxBytes) })
}

/** Runs the work of a call within the limits of the bytes that calls may read. They count until the reply is sent. */
function countRead<T>(reply: FastifyReply, { signal }: Context, work: () => Promise<T>): Promise<T> {
  const reading = beginReading(signal)
  finished(reply.raw, reading.end)
  return reading.run(work)
}

const takesLongQuery = ({ access, query }: Route): boolean => query !== undefined && !isOpenAccess(access)

/**
 * Checks access before and after reading the request, since the conditions of policies need the parsed request. Returns
 * the input, and the rows that the caller may see. Callers without the right do not learn what is wrong with their
 * request. `isAsSent`: whether conditions judge the request as sent, which those of a request with problems always do.
 */
function admit<R extends Route>(route: R, context: Context, read: () => ReadRequest<R>, isAsSent = true): Admitted<R> {
  if (context.caller) markFor(context.signal, beneficiaryOfCaller(context.caller))
  requireAccess(route, context, null)
  const { judged, input, problems } = read()
  if (isAsSent || input === null) requireAccess(route, context, judged)
  if (input !== null) return { input, judged }
  const [first] = problems
  throw new AppError('invalid_input', problems, first && `${first.field}: ${first.message}`)
}

/** Includes the account, because programs of two accounts may have the same name. */
export function beneficiaryOfCaller({ email, account, parent }: Caller): Beneficiary {
  return { person: email.startsWith('service:') ? `${account}/${email}` : email, account, parent }
}

type Admitted<R extends Route> = { input: Input<R>; judged: RequestParts }

async function findCallerNow(route: Route, request: FastifyRequest, judged: readonly RequestParts[]): Promise<Caller> {
  const before = request.context.caller
  const context = await request.authenticated?.find()
  if (context) for (const each of judged) requireAccess(route, context, each)
  const caller = context?.caller
  // The token or credential is the same, so the account can only differ because it was left.
  if (!caller || caller.account !== before?.account) throw sessionEnded()
  return caller
}

/** Null for calls without a sign-in, which see what the link or the remote access allows. */
function rowsFor({ access, action }: Route, { caller }: Context, judged: RequestParts): Stages | null {
  return isOpenAccess(access) || !caller ? null : caller.rows({ access, action }, judged)
}

/** Options for JSON above the usual size, which is read only from callers who may send it. */
function largeBody(route: Route, maxBytes: number): Pick<RouteOptions, 'bodyLimit' | 'onRequest'> {
  return {
    bodyLimit: maxBytes,
    onRequest: async (request) => {
      requireAccess(route, request.context, null)
    },
  }
}

/** The guard has ensured that caller and account exist wherever the route's context type has them. */
function handlerContext<R extends Route>(
  context: Context,
  more: { rows: Stages | null; callerNow: () => Promise<Caller> },
): ContextFor<R> {
  const { caller, address } = context
  return {
    ...context,
    ...(caller && { ...more, account: caller.account, actor: { actor: caller.email, address, via: caller.via } }),
  } as ContextFor<R>
}

/**
 * Serves a contract route that only reads, in parallel with authentication: `read` starts at once as the last caller
 * with the same token. Its result is sent only if authentication allows it and finds the same account with the same
 * facts and visible rows; otherwise the route reads again (ADR 0043). `readsEarly`: false for a request whose result
 * depends on further rights of the caller.
 */
export function serveSpeculatively<R extends Route>(
  app: FastifyInstance,
  route: R,
  read: (context: SpeculativeContext, input: Input<R>) => Promise<Reply<R>>,
  { readsEarly = () => true }: { readsEarly?: (input: Input<R>) => boolean } = {},
): void {
  app.route({
    method: route.method,
    url: apiPrefix + route.path,
    config: { isSpeculative: true, takesLongQuery: takesLongQuery(route) },
    handler: async (request, reply) => {
      const { expected } = request
      let known: ReadRequest<R> | null = null
      const admitted = (context: Context): Admitted<R> & { rows: Stages | null } => {
        const { input, judged } = admit(route, context, () => (known ??= readRequest(route, request)))
        return { input, judged, rows: rowsFor(route, context, judged) }
      }
      const start = async (context: Context, { input, rows }: ReturnType<typeof admitted>): Promise<Reply<R>> =>
        countRead(reply, context, () => read(speculativeContext(context, rows), input))
      const earlyInput = expected && unlessRefused(() => admitted(expected.context))
      const early = expected && earlyInput && readsEarly(earlyInput.input) && start(expected.context, earlyInput)
      // A failure only matters if the result is used.
      if (early) early.catch(() => {})
      // Lets the slower statements be sent first.
      if (early) await setImmediate()
      if (expected) request.context = await expected.find()
      const { context } = request
      const now = admitted(context)
      const isAsExpected = expected && isSameAccount(expected.context, context) && hasSameRows(earlyInput, now)
      return sendReply(route, reply, await ((isAsExpected && early) || start(context, now)))
    },
  })
}

/** Returns null for a refused request; it is checked again for the caller that authentication finds. */
function unlessRefused<T>(admitted: () => T): T | null {
  try {
    return admitted()
  } catch {
    return null
  }
}

function hasSameRows(one: { rows: Stages | null } | null | undefined, other: { rows: Stages | null }): boolean {
  return JSON.stringify(one?.rows) === JSON.stringify(other.rows)
}

/** The context of a call for finding what it acts on: before conditions have judged it, so without the contacts that it may see. */
export type StoredContext = Pick<AccountContext, 'db' | 'account' | 'caller' | 'actor' | 'address'>

/** Access to an account has been checked, so caller and account exist. */
function storedContext({ db, caller, address }: Context): StoredContext {
  const account = caller?.account
  if (!caller || typeof account !== 'number') throw new Error('What is stored is in an account.')
  return { db, account, caller, address, actor: { actor: caller.email, address, via: caller.via } }
}

function speculativeContext({ db, signal, caller }: Context, rows: Stages | null): SpeculativeContext {
  const account = caller?.account
  if (!caller || typeof account !== 'number') throw new Error('A speculative route needs access to an account.')
  return { db, signal, account, facts: caller.facts, rows, caller }
}

function isSameAccount({ caller: one }: Context, { caller: other }: Context): boolean {
  return one?.account === other?.account && one?.facts?.version === other?.facts?.version
}

function sendReply<R extends Route>(route: R, reply: FastifyReply, result: unknown): FastifyReply {
  // Drops fields that are missing from the contract.
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
        requireAccess(route, request.context, null)
        // Fastify refuses media types without a parser; here, any type is allowed.
        delete request.raw.headers['content-type']
      },
    })
  })
}
