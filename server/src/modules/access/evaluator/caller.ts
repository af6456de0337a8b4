import type { User } from '@portico/contract/sign-in'
import type { Action } from '@portico/contract/route'
import type { Caller, Refusal, RequestParts } from '#platform/http/context.ts'
import { type Access, toUser } from './access.service.ts'
import { isAllowed } from './granted-actions.ts'
import { routeRefusal } from './route-access.ts'

declare module '#platform/http/context.ts' {
  interface AccountFacts {
    /** IANA name. */
    timeZone: string
    /** Counted up with each change of the account's fields. */
    fieldsVersion: number
  }

  interface Caller {
    personId: string
    /** What the request was authenticated with: id of the session, the impersonation link, or the credential's identity. */
    sessionId: string
    kind: 'session' | 'impersonation' | 'credential'
    isPowerAdmin: boolean
    isPowerUser: boolean
    /** Whether a policy of the caller allows the action, given the request's parts. */
    can: (action: Action, request: RequestParts) => boolean
    /** The caller as the web app shows them. */
    user: () => User
  }
}

type Origin = Pick<Caller, 'kind' | 'sessionId'> & {
  /** Differing rights of an impersonation link. */
  rights?: Pick<Caller, 'isPowerAdmin' | 'isPowerUser' | 'can' | 'user'>
  /** What the person has to do before they may enter the account they came for. Until then they are in none. */
  requirement?: Refusal | null
}

/** Makes the caller of a request from what they may do. */
export function toCaller(access: Access, { kind, sessionId, rights, requirement = null }: Origin): Caller {
  const { email, personId, facts, isPowerAdmin, isPowerUser, policies } = access
  const known = {
    kind,
    email,
    personId,
    sessionId,
    account: requirement ? null : access.account,
    facts,
    isPowerAdmin,
    isPowerUser,
    can: (action: Action, request: RequestParts) => isAllowed(policies, action, request),
    user: () => toUser(access),
    ...rights,
  }
  return { ...known, refusal: (route, request) => routeRefusal({ ...known, requirement }, route, request) }
}
