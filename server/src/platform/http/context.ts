import type { ErrorCode } from '@portico/contract/errors'
import type { AccountId, User } from '@portico/contract/identity'
import type { Action, Input, Reply, Route } from '@portico/contract/route'
import type { Actor } from '#platform/actor.ts'
import type { Db } from '#platform/database.ts'
import type { Logger } from '#platform/log.ts'

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
export type AccountContext = PersonContext & { account: AccountId }

/** The same for routes of a signed-in person, in an account or not. */
export type PersonContext = Context & { caller: Caller; actor: Actor }

export type ContextFor<R extends Route> = R['access'] extends 'public' | 'signed-url'
  ? Context
  : R['access'] extends 'person' | 'self'
    ? PersonContext
    : AccountContext

export type Handler<R extends Route> = (context: ContextFor<R>, input: Input<R>) => Promise<Reply<R>>

/** What a route that only reads gets to know: of its caller no more than the account they are in. */
export type SpeculativeContext = Pick<Context, 'db' | 'signal'> & { account: AccountId; facts: AccountFacts | null }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route knows what to do before it is known who asks. */
    isSpeculative?: boolean
  }
  interface FastifyRequest {
    /** Of a route that begins early and has somebody to expect: there as soon as that has come true or not. */
    context: Context
    /** As whom the caller came last with this token; and finds out who they are now. */
    expected?: { context: Context; find: () => Promise<Context> }
  }
}
