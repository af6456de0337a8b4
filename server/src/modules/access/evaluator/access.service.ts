import type { AccountId } from '@portico/contract/accounts'
import type { Preferences } from '@portico/contract/preferences'
import type { User } from '@portico/contract/sign-in'
import type pg from 'pg'
import type { AccountFacts } from '#platform/http/context.ts'
import { judgeAccess, type Judgement, policiesHeld, type AccessRefusal } from './access-judgement.ts'
import { selectAccess } from './access.queries.ts'
import type { AccessRow } from './access-sql.ts'
import { policyNames } from './granted-actions.ts'
import type { HeldIdentity, HeldPolicy } from './held-identity.ts'
import type { Moment } from './limit.ts'
import { isPowerAdminIdentity } from './power.ts'

/**
 * A person, or a service identity, and their permissions on one account at a moment. Without an account (null), they
 * can only choose one.
 */
export type Access = {
  /** Of a service identity: its own id. */
  personId: string
  isService: boolean
  email: string
  userName: string | null
  photoURL: string | null
  account: AccountId | null
  parent: AccountId | null
  facts: AccountFacts | null
  /** Whether the person may work in the account, at this moment and from this address. */
  mayEnter: boolean
  /** The reason why they may not enter. Null before an account is chosen, and when no identity gives access to it. */
  refusal: AccessRefusal | null
  /** Before an account is chosen: whether they will be a power admin once their limits are met. */
  isPowerAdmin: boolean
  isPowerUser: boolean
  /** The identities that count now, and the policies of all of them. */
  identities: HeldIdentity[]
  policies: HeldPolicy[]
  preferences: Preferences
}

const defaultPreferences: Preferences = { menus: {}, timeout: 30 }

/** The permissions of a person now, from `address`. Null when the person does not exist. */
export async function accessOf(
  pool: pg.Pool,
  account: AccountId | null,
  personId: string,
  address: string,
): Promise<Access | null> {
  const row = await selectAccess(pool, account, personId)
  return row && toAccess(row, { at: new Date(), address })
}

/**
 * Names of the policies and features that a person holds in an account, regardless of limits; null if they have no
 * access to it. Policies of a global identity are included for power admins only (`withGlobal`).
 */
export async function policyNamesOf(
  pool: pg.Pool,
  account: AccountId,
  personId: string,
  { withGlobal }: { withGlobal: boolean },
): Promise<string[] | null> {
  const policies = await heldPoliciesOf(pool, account, personId, { withGlobal })
  return policies && policyNames(policies)
}

/** The policies that a person holds in an account, regardless of limits; null if they have no access to it. */
export async function heldPoliciesOf(
  pool: pg.Pool,
  account: AccountId,
  personId: string,
  { withGlobal = true }: { withGlobal?: boolean } = {},
): Promise<HeldPolicy[] | null> {
  const row = await selectAccess(pool, account, personId)
  const identities = row?.identities.filter((identity) => withGlobal || identity.account !== null) ?? []
  const isInside = row !== null && row.account_id !== null && identities.some(({ isDisabled }) => !isDisabled)
  return isInside ? policiesHeld(identities) : null
}

export function toAccess(row: AccessRow, moment: Moment): Access {
  const { refusal, isPowerAdmin, isPowerUser, counting, policies } = judge(row, moment)
  return {
    personId: row.person_id,
    isService: row.is_service ?? false,
    email: row.email,
    // The person's own choice takes precedence over the name that an account gave them.
    userName: row.user_name ?? row.identities.find(({ userName }) => userName)?.userName ?? null,
    photoURL: row.photo_url,
    account: row.account_id,
    parent: row.parent_id,
    facts: toFacts(row),
    mayEnter: row.account_id !== null && row.identities.length > 0 && refusal === null,
    refusal,
    isPowerAdmin,
    isPowerUser,
    identities: counting,
    policies,
    preferences:
      row.menus && row.timeout_minutes
        ? {
            menus: row.menus,
            timeout: row.timeout_minutes,
            ...(row.full_screen_is_activity && { fullScreenIsActivity: true }),
          }
        : defaultPreferences,
  }
}

function toFacts(row: AccessRow): AccountFacts | null {
  const { time_zone: timeZone, fields_version: fieldsVersion, contacts_version: contactsVersion } = row
  return timeZone === null || fieldsVersion === null || contactsVersion === null
    ? null
    : {
        version: `${fieldsVersion} ${timeZone}`,
        timeZone,
        fieldsVersion,
        contactsVersion,
        eventsUntil: row.events_until,
      }
}

function judge(row: AccessRow, moment: Moment): Omit<Judgement, 'identities'> {
  const {
    account_id: id,
    time_zone: timeZone,
    is_suspended: isSuspended,
    lacks_two_factor: lacksTwoFactor,
    identities,
  } = row
  if (id !== null && timeZone !== null && identities.length > 0) {
    return judgeAccess({ id, timeZone, isSuspended, lacksTwoFactor }, identities, moment)
  }
  const isPowerAdmin = id === null && identities.some((each) => isPowerAdminIdentity(each) && !each.isDisabled)
  return { refusal: null, isPowerAdmin, isPowerUser: false, counting: [], policies: [] }
}

/** The person in the shape the web app receives. */
export function toUser(access: Access): User {
  const { email, userName, photoURL, account, parent, facts, isPowerAdmin, isPowerUser, preferences } = access
  const policies = policyNames(access.policies)
  const rights = { isPowerAdmin, isPowerUser, policies, isImpersonated: false, impersonatedUntil: null }
  const place = { account, parent, timeZone: facts?.timeZone ?? null }
  return { email, userName, ...place, photoURL, preferences, ...rights }
}

/** The claims of a session token: the person and the account. */
export function sessionClaims({ account, parent, isPowerAdmin, isPowerUser, email }: Access, sessionId: string) {
  return { sid: sessionId, aid: account, paid: parent, pa: isPowerAdmin, pu: isPowerUser, email }
}
