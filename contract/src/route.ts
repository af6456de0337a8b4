import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'

/** Action a caller needs: `microservice::resource::method`, matched by the actions of policies. */
export type Action = `${string}::${string}::${string}`

/**
 * Callers allowed to use a route:
 * an action = signed in to an account, and a policy allows it there;
 * `account` = signed in to an account, whatever the policies;
 * `administrator` = power admin or power user in the account, not by an impersonation link;
 * `power-admin` = power admin, not by an impersonation link;
 * `person` = signed in, an account need not be chosen yet;
 * `self` = signed in with the password: neither by an impersonation link nor an API credential;
 * `signed-url` = any holder of the signed link;
 * `remote-access` = pages and programs that a remote access of the account lets in, without a sign-in;
 * `public` = everyone. It is explicit so that an omission cannot open a route.
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

/** Access without a sign-in. */
export type OpenAccess = Extract<Access, 'public' | 'signed-url' | 'remote-access'>

export function isOpenAccess(access: Access): access is OpenAccess {
  return access === 'public' || access === 'signed-url' || access === 'remote-access'
}

/** Header of a call that a page makes without user activity, with any value. Such calls do not extend the session. */
export const passiveHeader = 'x-passive'

/**
 * What a call stores that acts later, in a message to those who may not: 'Impersonation links cannot {does}.' `onlyWith`: it
 * stores that only if the body has this part, neither empty nor false.
 */
export type Stored = { does: string; onlyWith?: string }

/**
 * Whether a call stores something that acts later: by the rights of its caller, or in the account's name. An impersonation link
 * may not make such a call, since what it stores would outlive it; what an API credential stores stops with it. Reading, ending,
 * deleting and what is done at once stores nothing, nor does what acts with no rights, such as an index. See ADR 0087.
 */
type Stores = Stored | false

/** One HTTP call of the portal, described once for server, browser and docs. The path is below `/api`. */
export type Route = ({ method: 'GET'; stores?: Stores } | { method: 'POST' | 'PUT' | 'DELETE'; stores: Stores }) & {
  path: `/${string}`
  summary: string
  access: Access
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /** Size limit of the body, in bytes. Without it: 1 MiB. */
  maxBytes?: number
  reply: z.ZodType
  /** 200 unless said otherwise. */
  status?: 201 | 202 | 204
  /** Errors of this call, beyond those any call can return. */
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
