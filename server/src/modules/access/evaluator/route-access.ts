import { features } from '@portico/contract/features'
import type { Action, Stored } from '@portico/contract/route'
import type { Caller, CallerAccess, Refusal, RequestParts } from '#platform/http/context.ts'

type Rights = Pick<Caller, 'kind' | 'account' | 'isPowerAdmin' | 'isPowerUser' | 'can'> & {
  /** A step that the caller must complete before entering an account; null if there is none. */
  requirement: Refusal | null
}

/** Decides whether a caller with these rights may use a route with this access. Returns null when they may. */
export function routeRefusal(rights: Rights, access: CallerAccess, request: RequestParts | null): Refusal | null {
  if (access === 'person') return null
  if (access === 'self') return selfRefusal(rights)
  if (rights.account === null) {
    return rights.requirement ?? { code: 'not_signed_in', message: 'Please choose an account.' }
  }
  if (access === 'account') return null
  if (access === 'administrator' || access === 'power-admin') return administratorRefusal(rights, access)
  return rights.can(access, request) ? null : actionRefusal(access)
}

/**
 * Decides whether a caller may store what acts later. An impersonation link may not: it would outlive the link. What an API
 * credential stores stops with it (`actingHolder`).
 */
export function storingRefusal(
  { kind }: Pick<Rights, 'kind'>,
  { does, onlyWith }: Stored,
  request: RequestParts | null,
): Refusal | null {
  const stores = onlyWith === undefined || (request !== null && hasPart(request.body, onlyWith))
  if (kind !== 'impersonation' || !stores) return null
  return { code: 'not_allowed', message: `Impersonation links cannot ${does}. Sign in to do this.` }
}

function hasPart(body: unknown, name: string): boolean {
  const value = typeof body === 'object' && body !== null ? new Map(Object.entries(body)).get(name) : undefined
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

function selfRefusal({ kind }: Rights): Refusal | null {
  if (kind === 'session') return null
  return {
    code: 'not_allowed',
    message: 'Sign in with your password to do this. API credentials and impersonation links cannot.',
  }
}

function administratorRefusal(rights: Rights, access: 'administrator' | 'power-admin'): Refusal | null {
  const isOne = rights.isPowerAdmin || (access === 'administrator' && rights.isPowerUser)
  if (isOne && rights.kind !== 'impersonation') return null
  const who = access === 'administrator' ? 'power admins and power users' : 'power admins'
  return { code: 'not_allowed', message: `Only ${who} may do this.`, details: { needs: access } }
}

/** Names the missing feature, so that the person knows what to ask for. */
function actionRefusal(action: Action): Refusal {
  const missing = Object.entries(features).flatMap(([feature, needed]) => (needed === action ? [feature] : []))
  const named = missing.map((feature) => `"${feature}"`).join(' or ')
  const needs = named === '' ? `the action ${action}` : `${named} (${action})`
  const message = `You may not do this: it needs ${needs}. Contact your admin to see how you can get this feature.`
  return { code: 'not_allowed', message, details: { action, features: missing } }
}
