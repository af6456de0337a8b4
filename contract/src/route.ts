import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'

/** The action that a caller needs: `microservice::resource::method`, matched by the actions of policies. */
export type Action = `${string}::${string}::${string}`

/**
 * Callers allowed to use a route: an action = signed in to an account where a policy allows it; `account` = signed in
 * to an account, regardless of policies; `administrator` = power admin or power user in the account whose policies hold
 * the route's `action`, not by an impersonation link; `power-admin` = power admin whose policies hold the route's
 * `action`, not by an impersonation link; `person` = signed in, with or without an account chosen; `self` = signed in
 * with the password: neither by an impersonation link nor an API credential; `signed-url` = any holder of the signed
 * link; `remote-access` = pages and programs that a remote access of the account lets in, without a sign-in; `public` =
 * everyone. It is explicit, so an omission cannot open a route.
 */
export type Access =
  | Action
  | 'account'
  | 'administrator'
  | 'power-admin'
  | 'person'
  | 'self'
  | 'signed-url'
  | 'remote-access'
  | 'public'

/** Access for administrators. The route names the action that their policies must also hold. */
type AdministratorAccess = Extract<Access, 'administrator' | 'power-admin'>

/** Access without a sign-in. */
export type OpenAccess = Extract<Access, 'public' | 'signed-url' | 'remote-access'>

export function isOpenAccess(access: Access): access is OpenAccess {
  return access === 'public' || access === 'signed-url' || access === 'remote-access'
}

/** Header, with any value, of calls that a page makes without user activity. Such calls do not extend the session. */
export const passiveHeader = 'x-passive'

/**
 * Something that a call stores and that works later without its caller. `what` decides who may make the call: `work` =
 * it acts by the rights of its caller, or in the account's name, such as a cron. It stops with an API credential that
 * stored it; impersonation links may not store it, as it would outlive them. `access` = it lets someone in, or gives
 * more to someone who is in: a credential, a link, an invitation, the rights of an identity. It has no caller to stop
 * with, so it requires a session: a leaked secret cannot replace itself.
 */
export type Stored = {
  what: 'work' | 'access'
  /** In the message to callers who may not: '… cannot {does}.' */
  does: string
  /**
   * It is stored only if a parameter or a part of the body has one of these values; `given`: neither empty nor false.
   */
  onlyWith?: Readonly<Record<string, readonly unknown[] | 'given'>>
}

/**
 * False for a call that stores nothing of the kind: it reads, ends, deletes, or acts immediately; what it stores acts
 * with no rights, such as an index; or it has no caller, but a secret of its own, such as a link in an email. See ADR
 * 0087.
 */
type Stores = Stored | false

/** One HTTP call of the portal, described once for server, browser and docs. The path is below `/api`. */
export type Route = RouteFacts & RouteAccess & RouteStores

type RouteAccess =
  | { access: Exclude<Access, AdministratorAccess>; action?: undefined }
  | {
      access: AdministratorAccess
      /**
       * The action that a policy of a power admin must hold. Policies of a power user hold every action of the account.
       */
      action: Action
    }

/** A call that may change something declares whether it stores what outlives it; one that only reads stores nothing. */
type RouteStores = { method: 'GET'; stores?: Stores } | { method: 'POST' | 'PUT' | 'DELETE'; stores: Stores }

/**
 * A call that tries out the save of another call, which it takes in a separate field. It is checked like that save:
 * conditions find the draft in the same places, and callers who may not store it may not try it either (ADR 0116).
 */
export type Trial = {
  /** Returns the request parts that hold the draft in the save, from the parsed body as conditions check it. */
  as: (body: Readonly<Record<string, unknown>>) => { params?: unknown[]; body: Record<string, unknown> }
  /** As in the call that saves; absent if the reply shows no more than a search, which links may make. */
  stores?: Stored
}

type RouteFacts = {
  /** Absent for calls that try nothing. */
  tries?: Trial
  path: `/${string}`
  summary: string
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /**
   * The call acts on more than its request names, such as the contacts that another call has deleted, so conditions cannot judge it:
   * only a right without conditions is sufficient.
   */
  isUnconditional?: true
  /**
   * The call acts on something stored, which another call with the same action has saved. Conditions judge it as if it were saved now:
   * they find what is stored in the same places as in the request that saves it, next to the parts of this call.
   */
  isJudgedAsStored?: true
  /** Size limit of the body, in bytes. Without it: 1 MiB. */
  maxBytes?: number
  reply: z.ZodType
  /** 200 by default. */
  status?: 201 | 202 | 204
  /** Errors of this call, in addition to those of every call. */
  errors?: readonly ErrorCode[]
}

export type Input<R extends Route> = (R['params'] extends z.ZodType ? z.output<R['params']> : unknown) &
  (R['query'] extends z.ZodType ? z.output<R['query']> : unknown) &
  (R['body'] extends z.ZodType ? { body: z.output<R['body']> } : unknown)

/** Input as a client passes it, before defaults and coercion. */
export type CallInput<R extends Route> = (R['params'] extends z.ZodType ? z.input<R['params']> : unknown) &
  (R['query'] extends z.ZodType ? z.input<R['query']> : unknown) &
  (R['body'] extends z.ZodType ? { body: z.input<R['body']> } : unknown)

export type Reply<R extends Route> = z.output<R['reply']>
