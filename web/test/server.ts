import type { ErrorCode } from '@portico/contract/errors'
import type { User } from '@portico/contract/sign-in'
import { vi } from 'vitest'
import { setAddressAccount } from '#lib/session/address-account.ts'
import { setSession } from '#lib/session/session-store.ts'
import { setTypedInputCheck } from '#lib/session/typed-input-check.ts'
import { hasTypedInput } from '#ui/form/typed-input.ts'

// As the app does.
setTypedInputCheck(hasTypedInput)

/** One request as sent by the browser. */
export type Sent = {
  /** `GET /identity/v1/accounts`, below `/api`. */
  call: string
  query: Record<string, string>
  headers: Record<string, string>
  body: unknown
}

type Answer = { status: number; body: unknown }

export const answer = (body: unknown, status = 200): Answer => ({ status, body })
export const refusal = (status: number, code: ErrorCode, message = code as string, details?: unknown): Answer => ({
  status,
  body: { error: { code, message, ...(details !== undefined && { details }) } },
})

/**
 * Stands in for the network: responds by method and path, and records the requests. An item is read by its id from its
 * list. Other calls are not found.
 */
export function serveApi(answers: Record<string, Answer | ((sent: Sent) => Answer)>): Sent[] {
  const all: Sent[] = []
  vi.stubGlobal('fetch', (address: string, init: RequestInit = {}) => {
    const url = new URL(address, 'http://portal')
    const sent: Sent = {
      call: `${init.method} ${url.pathname.replace(/^\/api/, '')}`,
      query: Object.fromEntries(url.searchParams),
      headers: Object.fromEntries(new Headers(init.headers)),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : null,
    }
    all.push(sent)
    const ask = (call: string): Answer | undefined => {
      const given = answers[call]
      return typeof given === 'function' ? given(sent) : given
    }
    const { status, body } = ask(sent.call) ?? itemOf(sent.call, ask) ?? refusal(404, 'not_found')
    return Promise.resolve(new Response(status === 204 ? null : JSON.stringify(body), { status }))
  })
  return all
}

/** The entry of a list that a call reads by its id. */
function itemOf(call: string, ask: (call: string) => Answer | undefined): Answer | undefined {
  const [list = '', id] = call.split(/\/(?=[^/]*$)/)
  if (!call.startsWith('GET ')) return undefined
  const lists = [ask(list)?.body, ask(`${list}/details`)?.body].filter((body) => Array.isArray(body))
  const found = (lists.flat() as Record<string, unknown>[]).find(({ _id, Key }) => String(_id ?? Key) === id)
  return found && answer(found)
}

export const aUser = (part: Partial<User> = {}): User => ({
  email: 'mara.klein@example.com',
  userName: 'Mara Klein',
  account: 1,
  parent: null,
  timeZone: 'UTC',
  isPowerAdmin: false,
  isPowerUser: false,
  photoURL: null,
  policies: [],
  preferences: { menus: { contactservice: [] }, timeout: 30 },
  isImpersonated: false,
  impersonatedUntil: null,
  ...part,
})

/** Signs the tab in as a user working in account 1. */
export function beSignedIn(part: Partial<User> = {}): void {
  const user = aUser(part)
  setSession({ state: 'in', user, account: 1 }, { token: 'token-1', email: user.email, account: 1 })
}

export function beSignedOut(): void {
  setSession({ state: 'out', notice: null, keepsPlace: true }, null)
  setAddressAccount(null)
  localStorage.clear()
  sessionStorage.clear()
}
