import type { ErrorReply } from '@portico/contract/errors'
import { type CallInput, passiveHeader, type Reply, type Route } from '@portico/contract/route'
import { ApiError } from './api-error.ts'
import { isPassive } from '#lib/session/last-activity.ts'
import { settle } from '#lib/session/requirement.ts'
import { hasUnsavedInput } from '#lib/session/typed-input-check.ts'
import {
  askForTwoFactor,
  currentSession,
  endedNotice,
  endSession,
  keptSession,
  sessionToken,
  whenUnlocked,
} from '#lib/session/session-store.ts'

const unreachable = 'The portal cannot be reached. Check your connection and try again.'

/**
 * The parts of a route that the browser needs. Spell them out where importing the contract's schemas would enlarge the
 * first load.
 */
export type RouteLine<R extends Route> = Pick<R, 'method' | 'path'> & {
  /** Public calls must say so; all others send the token. */
  access?: R['access']
  /** Never set: it carries the route's type. */
  contract?: R
} & (R['access'] extends 'public' ? { access: 'public' } : unknown)

const refusalListeners = new Set<() => void>()

/** Calls the listener when the server has refused a signed-in user's request: the user's rights may have changed. */
export function onRefusal(listener: () => void): () => void {
  refusalListeners.add(listener)
  return () => refusalListeners.delete(listener)
}

type CallOptions = {
  signal?: AbortSignal
  /** Used instead of the tab's own token: such a call neither ends the session nor waits for it. */
  token?: string
}

/**
 * Calls a contract route: fills the path, encodes the query, sends the body and the token. A file as the body is sent
 * unchanged. A 401 ends the session here and nowhere else. If that locks the page, or the server requires a step-up,
 * the call waits and is repeated once the same person has signed in or completed the step-up. The reply is not parsed
 * again: the server replies by the same contract, and the parser would enlarge every first load.
 * @throws {ApiError}
 */
export async function call<R extends Route>(
  route: R | RouteLine<R>,
  input: CallInput<R>,
  options: CallOptions = {},
): Promise<Reply<R>> {
  const own = route.access === 'public' || options.token !== undefined ? null : sessionToken()
  if (own === null && route.access !== 'public' && options.token === undefined && isLocked()) {
    return callUnlocked(route, input, options)
  }
  const response = await request(route, input as Record<string, unknown>, own ?? options.token ?? null, options.signal)
  if (response.ok) return (await readJson(response)) as Reply<R>
  const error = await readError(response)
  if (response.status === 401 && own !== null) {
    endSession(own, error.message, error.code === 'signed_out_of_account' ? 'account lost' : 'lost')
    // A refused request had no effect, so it can be retried.
    if (isLocked()) return callUnlocked(route, input, options)
  }
  if (own !== null && (await settleOwed(error, own))) return call(route, input, options)
  if (error.code === 'not_allowed') for (const listener of refusalListeners) listener()
  throw error
}

/** Asks for the step-up that the server requires; true once it is completed and the call can be repeated. */
async function settleOwed({ code }: ApiError, token: string): Promise<boolean> {
  const [session, kept] = [currentSession(), keptSession()]
  if (session.state !== 'in' || kept?.token !== token || kept.isImpersonated) return false
  if (code === 'password_needed') return settle('password')
  if (code !== 'two_factor_needed') return false
  // The account began to require two-factor while the person was working in it: keep what they have typed.
  if (hasUnsavedInput() && (await settle('two-factor'))) return true
  if (currentSession().state === 'in' && sessionToken() === token) askForTwoFactor(session.account, kept)
  return false
}

/**
 * Opens a route's stream of server-sent events; null where the portal, or a proxy in front of it, provides none. It
 * neither ends the session nor waits for it.
 */
export async function openEvents<R extends Route>(
  { path }: R | RouteLine<R>,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array> | null> {
  // Reopening a broken stream is not user activity either.
  const headers = {
    authorization: `Bearer ${sessionToken() ?? ''}`,
    accept: 'text/event-stream',
    [passiveHeader]: '1',
  }
  const { ok, body, headers: answered } = await send(`/api${path}`, { method: 'GET', headers, signal })
  return ok && answered.get('content-type')?.startsWith('text/event-stream') ? body : null
}

const isLocked = (): boolean => currentSession().state === 'locked'

async function callUnlocked<R extends Route>(
  route: R | RouteLine<R>,
  input: CallInput<R>,
  options: CallOptions,
): Promise<Reply<R>> {
  if (await whenUnlocked(options.signal ?? null)) return call(route, input, options)
  throw new ApiError('not_signed_in', endedNotice)
}

function request(
  { method, path }: Pick<Route, 'method' | 'path'>,
  { body, ...rest }: Record<string, unknown>,
  token: string | null,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const isFile = body instanceof Blob
  return send(`/api${fillPath(path, rest)}`, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(isPassive() && { [passiveHeader]: '1' }),
      ...(body !== undefined && { 'content-type': isFile ? body.type : 'application/json' }),
    },
    body: body === undefined ? null : isFile ? body : JSON.stringify(body),
    signal: signal ?? null,
  })
}

/** Puts the parameters into the path; the rest of the input becomes the query. Absent values are left out. */
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
