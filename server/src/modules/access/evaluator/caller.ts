import type { User } from '@portico/contract/sign-in'
import type { Action } from '@portico/contract/route'
import type { Via } from '#platform/actor.ts'
import type { Caller, CallerRight, Refusal, JudgedRequest } from '#platform/http/context.ts'
import { type Access, toUser } from './access.service.ts'
import { isAllowed } from './granted-actions.ts'
import type { HeldIdentity, HeldPolicy } from './held-identity.ts'
import { type Holder, holderText } from './holder.ts'
import { type Holding, holdingsOf } from './holdings.ts'
import { administers, holdsEveryAction, isPowerAdminIdentity } from './power.ts'
import { routeRefusal } from './route-access.ts'
import { storingRefusal } from './storing.ts'
import { grantingOf, visibleRows } from './visible-rows.ts'

declare module '#platform/http/context.ts' {
  interface AccountFacts {
    /** IANA name. */
    timeZone: string
    /** Incremented with each change of the account's fields. */
    fieldsVersion: number
    /** Incremented by imports and deletes with each committed batch. */
    contactsVersion: string
    /** Until this moment, single events may have arrived, which do not change the version; null if there were none. */
    eventsUntil: Date | null
  }

  interface Caller {
    /** Of a service identity: its own id, which differs from every person's. */
    personId: string
    isService: boolean
    /** Id of the session, the impersonation link, or the identity of the credential that authenticated the request. */
    sessionId: string
    kind: 'session' | 'impersonation' | 'credential'
    /** Whether a passkey was shown in the session. */
    showsPasskey: boolean
    /** Identifies the caller in items they create that are used later (`Holder`). */
    holder: string
    /**
     * Each identity that counts now, as a caller with only its own rights; the account's own comes before a global one.
     * A single caller for API credentials and impersonation links. A dashboard or cron of the caller acts as one of
     * them (`requireActor`).
     */
    identities: () => Caller[]
    isPowerAdmin: boolean
    isPowerUser: boolean
    /**
     * Whether a policy of the caller allows the action, given the request's parts. Before they are read (null): whether
     * some request would be allowed. For `any`: whether a policy allows it without conditions.
     */
    can: (action: Action, request: JudgedRequest) => boolean
    /**
     * Whether they may use a call of administrators that needs this action, judged by their status and by the policies
     * that give it.
     */
    administers: (action: Action, request: JudgedRequest) => boolean
    /** The rights that they may give to others. Empty unless they are an administrator. */
    holdings: readonly Holding[]
    /** The policies that they hold. */
    policies: readonly Pick<HeldPolicy, 'id' | 'name'>[]
    /** The caller in the shape the web app shows. */
    user: () => User
  }
}

/**
 * Names a caller in emails and invitations, at the start of a sentence. A person is named only for actions in their own
 * session: anyone who has the secret can use an API credential.
 */
export function inviterOf({ kind, email, isService, user }: Caller): string {
  if (isService) return `The service identity ${user().userName ?? email}`
  return kind === 'session' ? email : `An API credential of ${email}`
}

type Origin = Pick<Caller, 'kind' | 'sessionId'> & {
  holder: Holder
  /** Defaults to the kind alone. */
  via?: Via
  /** Rights that replace those of the person, for an impersonation link. */
  rights?: Pick<Caller, 'isPowerAdmin' | 'isPowerUser' | 'administers' | 'holdings' | 'can' | 'user' | 'rows'>
  showsPasskey?: boolean
  /** A step that the person must complete before entering the requested account. Until then they are in no account. */
  requirement?: Refusal | null
}

/** Creates the caller of a request from their permissions. */
export function toCaller(
  access: Access,
  { kind, sessionId, holder, via = { kind }, rights, showsPasskey = false, requirement = null }: Origin,
): Caller {
  const { email, personId, isService, facts, isPowerAdmin, isPowerUser, policies, identities } = access
  const counting = { isPowerAdmin, isPowerUser, counting: identities }
  const known = {
    kind,
    email,
    personId,
    isService,
    sessionId,
    showsPasskey,
    via,
    holder: holderText(holder),
    account: requirement ? null : access.account,
    parent: requirement ? null : access.parent,
    facts,
    isPowerAdmin,
    isPowerUser,
    can: (action: Action, request: JudgedRequest) => isAllowed(policies, action, request),
    administers: (action: Action, request: JudgedRequest) => administers(counting, action, request),
    holdings: holdingsOf(counting),
    policies,
    rows: (right: CallerRight, request: JudgedRequest) => visibleRows(identities.map(grantingOf), right, request),
    user: () => toUser(access),
    ...rights,
  }
  const caller: Caller = {
    ...known,
    identities: () => (kind === 'session' ? access.identities.map((each) => actingCaller(access, each)) : [caller]),
    refusal: (route, request) => routeRefusal({ ...known, requirement }, route, request),
    storingRefusal: (route, request) => storingRefusal(known, route, request),
  }
  return caller
}

/**
 * The caller that an identity acts as, with only its own rights. This is the only place where an identity becomes a
 * caller. `by`: the API credential to act as, while it works; by default, the identity itself.
 */
export function actingCaller(access: Access, identity: HeldIdentity, by: Holder | null = null): Caller {
  const { policies, id } = identity
  const isPowerAdmin = isPowerAdminIdentity(identity)
  const isPowerUser = !isPowerAdmin && identity.account !== null && holdsEveryAction(policies)
  const holder: Holder = by?.kind === 'credential' ? by : { kind: 'identity', identity: id, person: access.personId }
  const own = { ...access, identities: [identity], policies, isPowerAdmin, isPowerUser }
  return toCaller(own, { kind: 'credential', sessionId: id, holder, via: { kind: 'cron' } })
}
