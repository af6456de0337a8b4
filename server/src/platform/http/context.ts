import type { ErrorCode } from '@portico/contract/errors'
import type { AccountId } from '@portico/contract/accounts'
import type { Access, Action, Input, OpenAccess, Reply, Route } from '@portico/contract/route'
import type { Stages } from '@portico/contract/filter'
import type { Actor, Via } from '#platform/actor.ts'
import type { Db } from '#platform/database.ts'
import type { Logger } from '#platform/log.ts'

/** The reason for refusing a request; `message` is for its sender. */
export type Refusal = { code: ErrorCode; message: string; details?: unknown }

/**
 * Parts of a request that access may depend on, as the server acts on them (parsed, with defaults): `params` in the
 * order of the path, `query` and `body` by name.
 */
export type RequestParts = { params: unknown; query: unknown; body: unknown }

/**
 * The request that a right is checked against. Conditions on an unread one (null) count as met. With `any`, for work
 * that does more than its request says, only rights without conditions count.
 */
export type JudgedRequest = RequestParts | null | 'any'

/** Access that needs a signed-in caller. */
type CallerAccess = Exclude<Access, OpenAccess>

/** The right that a route requires of its caller; `action` with the access of administrators. */
export type CallerRight = { access: CallerAccess; action?: Action | undefined }

/**
 * Facts about the caller's account, read by authentication on every request. `access` declares them; `version` changes
 * whenever one of them changes.
 */
export interface AccountFacts {
  version: string
}

/** Authenticated sender of a request. Created by `access`, which also declares its further properties. */
export interface Caller {
  email: string
  /** The account of the request; null before one is chosen. */
  account: AccountId | null
  /** The parent of that account; null for none. */
  parent: AccountId | null
  /** Facts about that account; null before one is chosen. */
  facts: AccountFacts | null
  /** How the request was authenticated. */
  via: Via
  /** Returns why the caller may not use a route with these requirements, or null if they may. */
  refusal: (right: CallerRight, request: JudgedRequest) => Refusal | null
  /** The rows that the caller may see with a request, as stages of a filter; null for all. */
  rows: (right: CallerRight, request: JudgedRequest) => Stages | null
  /**
   * Returns why the caller may not store what the route stores, or null if they may. Conditions that need an unread
   * request (null) count as met.
   */
  storingRefusal: (route: Pick<Route, 'path' | 'stores' | 'tries'>, request: RequestParts | null) => Refusal | null
}

/** Context of a request for its handler, besides the input. */
export type Context = {
  db: Db
  caller: Caller | null
  /** The reason why a token or credential was not accepted; null otherwise. */
  refusal: Refusal | null
  /** IP address that the request came from. */
  address: string
  /** User agent. */
  device: string
  log: Logger
  /** Aborted when the client disconnects before the reply. */
  signal: AbortSignal
}

/** Context of routes for a signed-in person, in an account or not. */
type PersonContext = Context & {
  caller: Caller
  actor: Actor
  /**
   * Returns the caller with their current rights, for work after a wait for a lock or a turn. Throws the reason if they
   * may no longer make this call.
   */
  callerNow: () => Promise<Caller>
}

/** Context of routes that require a caller signed in to an account. */
export type AccountContext = PersonContext & {
  account: AccountId
  /** The rows that the caller may see with this request, as stages of a filter; null for all. */
  rows: Stages | null
}

export type ContextFor<R extends Route> = R['access'] extends OpenAccess
  ? Context
  : R['access'] extends 'person' | 'self'
    ? PersonContext
    : AccountContext

export type Handler<R extends Route> = (context: ContextFor<R>, input: Input<R>) => Promise<Reply<R>>

/**
 * Context of a speculative route: the account of the caller, whose `facts` and `rows` are checked before the reply. The
 * rights of `caller` may have changed since an early read.
 */
export type SpeculativeContext = Pick<Context, 'db' | 'signal'> & {
  account: AccountId
  facts: AccountFacts | null
  rows: Stages | null
  caller: Caller
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Runs the handler in parallel with authentication. */
    isSpeculative?: boolean
    /** Called by pages of other sites (access `remote-access`): no authentication, and headers of its own. */
    isDoor?: boolean
    /** A route for operators, which neither authenticates its caller nor uses the database to do so. */
    isProbe?: boolean
    /** Authenticates the caller before it parses the query, which may be as long as a filter (`headBytes`). */
    takesLongQuery?: boolean
    /** Streams files of any size, and has its own timeout for transfers that stall. */
    isFile?: boolean
  }
  interface FastifyRequest {
    /** On a speculative route with an expected caller: set once authentication has finished. */
    context: Context
    /** Context of the last caller with this token, and the look-up of the present one. */
    expected?: { context: Context; find: () => Promise<Context> }
    /** When the caller was authenticated, and how to authenticate them again. Not on routes without authentication. */
    authenticated?: { at: number; find: () => Promise<Context> }
    /** Stops counting a request through a trusted proxy as in progress, for instance of a page that follows changes. */
    leaveWork?: () => void
  }
}
