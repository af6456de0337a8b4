import type { User } from '@portico/contract/sign-in'
import type { Action } from '@portico/contract/route'
import type { Via } from '#platform/actor.ts'
import type { Caller, Refusal, RequestParts } from '#platform/http/context.ts'
import { type Access, toUser } from './access.service.ts'
import { isAllowed } from './granted-actions.ts'
import { routeRefusal } from './route-access.ts'

declare module '#platform/http/context.ts' {
  interface AccountFacts {
    /** IANA name. */
    timeZone: string
    /** Incremented with each change of the account's fields. */
    fieldsVersion: number
    /** Incremented by imports and deletes with each committed batch. */
    contactsVersion: string
    /** Up to then single events may have arrived, which do not change the version; null if there were none. */
    eventsUntil: Date | null
  }

  interface Caller {
    /** Of a service identity: its own id, which is that of no person. */
    personId: string
    isService: boolean
    /** Id of the session, the impersonation link, or the identity of the credential that authenticated the request. */
    sessionId: string
    kind: 'session' | 'impersonation' | 'credential'
    /**
     * Names the caller in signed links: the kind, and the id of the person, the identity or the impersonation link. The
     * id of the person follows that of the identity, which can be handed over to another one.
     */
    holder: string
    isPowerAdmin: boolean
    isPowerUser: boolean
    /** Whether a policy of the caller allows the action, given the request's parts; before they are read (null), whether one may. */
    can: (action: Action, request: RequestParts | null) => boolean
    /** The caller as the web app shows them. */
    user: () => User
  }
}

/**
 * Names a caller in emails and invitations, at the start of a sentence. A person is named only for what they do in a
 * session of their own: anyone with its secret can use an API credential.
 */
export function inviterOf({ kind, email, isService, user }: Caller): string {
  if (isService) return `The service identity ${user().userName ?? email}`
  return kind === 'session' ? email : `An API credential of ${email}`
}

type Origin = Pick<Caller, 'kind' | 'sessionId'> & {
  /** By default the kind alone. */
  via?: Via
  /** Rights that replace those of the person, for an impersonation link. */
  rights?: Pick<Caller, 'isPowerAdmin' | 'isPowerUser' | 'can' | 'user'>
  /** A step that the person must complete before entering the requested account. Until then they are in none. */
  requirement?: Refusal | null
}

/** The `holder` of a caller, with its ids. */
export const holderName = (kind: Caller['kind'], ids: string): string => `${kind} ${ids}`

/** Creates the caller of a request from their permissions. */
export function toCaller(
  access: Access,
  { kind, sessionId, via = { kind }, rights, requirement = null }: Origin,
): Caller {
  const { email, personId, isService, facts, isPowerAdmin, isPowerUser, policies } = access
  const known = {
    kind,
    email,
    personId,
    isService,
    sessionId,
    via,
    holder: holderName(
      kind,
      kind === 'session' ? personId : kind === 'credential' ? `${sessionId} ${personId}` : sessionId,
    ),
    account: requirement ? null : access.account,
    facts,
    isPowerAdmin,
    isPowerUser,
    can: (action: Action, request: RequestParts | null) => isAllowed(policies, action, request),
    user: () => toUser(access),
    ...rights,
  }
  return { ...known, refusal: (route, request) => routeRefusal({ ...known, requirement }, route, request) }
}
