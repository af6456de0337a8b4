import { features } from '@portico/contract/features'
import type { Action } from '@portico/contract/route'
import type { Caller, CallerRight, Refusal, JudgedRequest } from '#platform/http/context.ts'
import { everyAction } from './granted-actions.ts'

type Rights = Pick<Caller, 'kind' | 'account' | 'isPowerAdmin' | 'isPowerUser' | 'administers' | 'can'> & {
  /** A step that the caller must complete before entering an account; null if there is none. */
  requirement: Refusal | null
}

/** Decides whether a caller with these rights may use a route that asks for `right`. Returns null when they may. */
export function routeRefusal(rights: Rights, right: CallerRight, request: JudgedRequest): Refusal | null {
  const { access } = right
  if (access === 'person') return null
  if (access === 'self') return selfRefusal(rights)
  if (rights.account === null) {
    return rights.requirement ?? { code: 'not_signed_in', message: 'Please choose an account.' }
  }
  if (access === 'account') return null
  if (access === 'administrator' || access === 'power-admin') {
    // A link of an earlier release names no action, so it needs all of them.
    return administratorRefusal(rights, { access, action: right.action ?? everyAction }, request)
  }
  if (rights.can(access, request)) return null
  return request === 'any' && rights.can(access, null) ? conditionedRefusal(access) : actionRefusal(access)
}

function selfRefusal({ kind }: Rights): Refusal | null {
  if (kind === 'session') return null
  return {
    code: 'not_allowed',
    message: 'Sign in with your password to do this. API credentials and impersonation links cannot.',
  }
}

/** The status alone grants nothing: a group of administrators gives only the rights in its policies. */
function administratorRefusal(
  rights: Rights,
  { access, action }: { access: 'administrator' | 'power-admin'; action: Action },
  request: JudgedRequest,
): Refusal | null {
  const isOne = rights.isPowerAdmin || (access === 'administrator' && rights.isPowerUser)
  if (!isOne || rights.kind === 'impersonation') {
    const who = access === 'administrator' ? 'power admins and power users' : 'power admins'
    return { code: 'not_allowed', message: `Only ${who} may do this.`, details: { needs: access } }
  }
  if (rights.administers(action, request)) return null
  const message = `You are a power admin with limited rights. This needs the action ${action}, which your policies do not grant here. Ask a power admin who holds it.`
  return { code: 'not_allowed', message, details: { action } }
}

function conditionedRefusal(action: Action): Refusal {
  const message = `You may not do this: it needs the action ${action} without conditions, and your policies grant it under conditions only. Contact your admin.`
  return { code: 'not_allowed', message, details: { action } }
}

/** Names the missing feature, which the person can then ask for. */
function actionRefusal(action: Action): Refusal {
  const missing = Object.entries(features).flatMap(([feature, needed]) => (needed === action ? [feature] : []))
  const named = missing.map((feature) => `"${feature}"`).join(' or ')
  const needs = named === '' ? `the action ${action}` : `${named} (${action})`
  const message = `You may not do this: it needs ${needs}. Contact your admin to see how you can get this feature.`
  return { code: 'not_allowed', message, details: { action, features: missing } }
}
