import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'

/** Action a caller needs: `microservice::resource::method`, matched by the actions of policies. */
export type Action = `${string}::${string}::${string}`

/**
 * Who may call a route:
 * an action = signed in to an account, and a policy allows it there;
 * `account` = signed in to an account, whatever the policies;
 * `administrator` = power admin or power user in the account, not by an impersonation link;
 * `power-admin` = power admin, not by an impersonation link;
 * `person` = signed in, an account need not be chosen yet;
 * `self` = signed in with the password, as oneself: neither by an impersonation link nor an API credential;
 * `signed-url` = anyone who holds the signed link;
 * `public` = anybody. It is spelled out so that forgetting it cannot open a route.
 */
export type Access = Action | 'account' | 'administrator' | 'power-admin' | 'person' | 'self' | 'signed-url' | 'public'

/**
 * Header of a call that a page makes by itself while no one works there, whatever its value: it is no activity, and so
 * does not keep a session from ending.
 */
export const passiveHeader = 'x-passive'

/** One HTTP call the portal offers, described once for server, browser and docs. The path stands below `/api`. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
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
  /** Errors this call can answer with, beyond those any call can. */
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
