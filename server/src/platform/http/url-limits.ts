import type { FastifyRequest } from 'fastify'
import { AppError, invalidField } from '#platform/app-error.ts'

/**
 * Maximum size of a URL: of its path alone, or including the query for calls that are open to anyone. Parsing a million
 * names would delay all other requests for seconds.
 */
const openUrlBytes = 16 * 1024

/** Usual requests have 1 kB; some browsers send long cookies of other programs on the same host. */
const mostHeaderBytes = 32 * 1024

/** Maximum number of names in a query, far more than any call has. */
const mostNames = 100

/** The query of a request as it was sent. */
class SentQuery {
  // The framework expects this type of queries.
  [name: string]: unknown
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Replaces the framework's parser, which parses queries before the caller is authenticated. */
export const keepQuery = (text: string): SentQuery => new SentQuery(text)

/** Parses the query of a request, once its caller is allowed. @throws invalid_input for too many names */
export function readQuery(request: FastifyRequest): Record<string, unknown> {
  const { query } = request
  if (!(query instanceof SentQuery)) return query as Record<string, unknown>
  if (!hasFewNames(query.text)) throw invalidField('query', `Use at most ${mostNames} names.`)
  const parsed = valuesOf(query.text)
  request.query = parsed
  return parsed
}

/**
 * Returns values by name, as a list if a name is repeated. For `%`, the framework's parser takes a hundred times as
 * long.
 */
function valuesOf(text: string): Record<string, unknown> {
  // Without the `&`, a question mark at the beginning would be dropped.
  const sent = Map.groupBy(new URLSearchParams(`&${text}`), ([name]) => name)
  const values = Array.from(sent, ([name, pairs]) => [name, pairs.map(([, value]) => value)] as const)
  return Object.fromEntries(values.map(([name, all]) => [name, all.length === 1 ? all[0] : all]))
}

function hasFewNames(text: string): boolean {
  let names = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    names += 1
    if (names > mostNames) return false
  }
  return true
}

/**
 * Refuses a URL or headers that are too large for the route, before any of them is parsed.
 * @throws url_too_long, headers_too_large
 */
export function requireShortHead({ raw, routeOptions }: FastifyRequest): void {
  const { url = '', rawHeaders } = raw
  const pathLength = url.indexOf('?') === -1 ? url.length : url.indexOf('?')
  const length = routeOptions.config.takesLongQuery ? pathLength : url.length
  if (length > openUrlBytes) throw new AppError('url_too_long')
  const headers = rawHeaders.reduce((sum, text) => sum + text.length, 0)
  if (headers > mostHeaderBytes) throw new AppError('headers_too_large')
}
