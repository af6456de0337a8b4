import { features } from '@portico/contract/features'
import type { Action, Route } from '@portico/contract/route'
import type { FastifyRequest } from 'fastify'
import { AppError } from '#platform/app-error.ts'
import type { Caller, Context } from './context.ts'

/** 401 unless signed in where and when the caller may be, 403 unless they may do what the route is for. */
export function requireAccess(route: Route, request: FastifyRequest, { caller, refusal }: Context): void {
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

export function mayAccess(route: Route, request: FastifyRequest, context: Context): boolean {
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
