import type { ErrorReply } from '@portico/contract/errors'
import type { CallInput, Reply, Route } from '@portico/contract/route'
import { ApiError } from './api-error.ts'
import { endSession, sessionToken } from './session-store.ts'

const unreachable = 'The portal cannot be reached. Check your connection and try again.'

/** What of a route the browser needs. Written out where the contract's schemas would cost the first load their size. */
export type RouteLine<R extends Route> = Pick<R, 'method' | 'path' | 'access'> & {
  /** Never set: it carries the route's type. */
  contract?: R
}

/**
 * Calls a contract route: fills the path, encodes the query, sends the body and the token.
 * Throws `ApiError`; a 401 ends the session here and nowhere else. The reply is not parsed again: the server answers
 * by the same contract, and the parser would cost every first load its size.
 */
export async function call<R extends Route>(
  route: R | RouteLine<R>,
  input: CallInput<R>,
  options: { signal?: AbortSignal } = {},
): Promise<Reply<R>> {
  const { body, ...rest } = input as Record<string, unknown>
  const token = route.access === 'public' ? null : sessionToken()
  const response = await send(`/api${fillPath(route.path, rest)}`, {
    method: route.method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: options.signal ?? null,
  })
  if (response.ok) return (await readJson(response)) as Reply<R>
  const error = await readError(response)
  if (response.status === 401 && token !== null) {
    endSession(token, error.code === 'not_signed_in' ? 'Your session has ended. Please sign in again.' : error.message)
  }
  throw error
}

/** Puts the parameters into the path; what is left of the input becomes the query. Values that are absent stay out. */
function fillPath(template: string, input: Record<string, unknown>): string {
  const query = new URLSearchParams()
  const used = new Set<string>()
  const path = template.replace(/:(\w+)/g, (_, name: string) => {
    used.add(name)
    return encodeURIComponent(asText(input[name]))
  })
  for (const [name, value] of Object.entries(input)) {
    if (value !== undefined && !used.has(name)) query.set(name, asText(value))
  }
  return query.size ? `${path}?${query}` : path
}

/** Lists and objects (`find`, `sort`) travel as JSON. */
const asText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiError('unavailable', unreachable)
  }
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text()
  return text ? JSON.parse(text) : null
}

/** A proxy in front of the portal may answer with its own page instead of our error body. */
async function readError(response: Response): Promise<ApiError> {
  const reply = (await readJson(response).catch(() => null)) as ErrorReply | null
  if (reply?.error?.code) return new ApiError(reply.error.code, reply.error.message, reply.error.details)
  const isGateway = [502, 503, 504].includes(response.status)
  return isGateway
    ? new ApiError('unavailable', unreachable)
    : new ApiError('unexpected', `Something went wrong on our side. (status=${response.status})`)
}
