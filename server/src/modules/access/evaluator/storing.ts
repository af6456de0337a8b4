import type { Route, Stored } from '@portico/contract/route'
import type { Caller, Refusal, RequestParts } from '#platform/http/context.ts'

/**
 * Decides whether a caller may store something that acts without them later, as declared by the route. This is the one
 * rule for all stored work and access (ADR 0087): work must not outlive an impersonation link, and access must not
 * outlive any secret. Returns null when they may. Before the request is read (null), anything that depends on it counts
 * as allowed.
 */
export function storingRefusal(
  { kind }: Pick<Caller, 'kind'>,
  { path, tries, stores: own = false }: Pick<Route, 'path' | 'stores' | 'tries'>,
  request: RequestParts | null,
): Refusal | null {
  const stores = own || tries?.stores
  if (kind === 'session' || !stores) return null
  // Work that an API credential stores stops when the credential does (`actingHolder`).
  if (stores.what === 'work' && kind === 'credential') return null
  if (!isStored(stores, path, request)) return null
  const message =
    stores.what === 'work'
      ? `Impersonation links cannot ${stores.does}. Sign in to do this.`
      : `API credentials and impersonation links cannot ${stores.does}. Sign in with your password to do this.`
  return { code: 'not_allowed', message }
}

function isStored({ onlyWith }: Stored, path: string, request: RequestParts | null): boolean {
  if (!onlyWith) return true
  if (!request) return false
  const sent = new Map([...named(request.body), ...paramsByName(path, request.params)])
  return Object.entries(onlyWith).some(([name, values]) =>
    values === 'given' ? isGiven(sent.get(name)) : values.includes(sent.get(name)),
  )
}

const isGiven = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))

const named = (part: unknown): [string, unknown][] =>
  typeof part === 'object' && part !== null ? Object.entries(part) : []

/** Parsed parameters are in the order of the path; unparsed ones are by name, as sent. */
function paramsByName(path: string, params: unknown): [string, unknown][] {
  if (!Array.isArray(params)) return named(params)
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  return names.map((name, index) => [name, params[index]])
}
