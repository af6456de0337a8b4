import { type ErrorCode, errors } from '@portico/contract/errors'
import type { AccountId } from '@portico/contract/accounts'
import type { HeldIdentity, HeldPolicy } from './held-identity.ts'
import { judgeLimits, type LimitCheck, limitInWords, type Moment } from './limit.ts'
import { isLimitedAdministrator, holdsEveryAction, isPowerAdminIdentity } from './power.ts'

/** The properties of an account that decide who may work in it. */
export type JudgedAccount = {
  id: AccountId
  /** IANA name. */
  timeZone: string
  isSuspended: boolean
  /** The person has no two-factor, although the account or the deployment requires it. */
  lacksTwoFactor?: boolean
}

/** A check made before any rights are considered, and its result. */
export type IdentityCheck = { limit: 'account' | 'identity' | 'twoFactor' | LimitCheck['limit']; isMet: boolean }

type IdentityJudgement = { identity: HeldIdentity; counts: boolean; checks: IdentityCheck[] }

/** The reason why a person may not work in an account now, in words for that person. */
export type AccessRefusal = {
  code: Extract<ErrorCode, 'not_signed_in' | 'signed_out_of_account' | 'outside_limits' | 'two_factor_needed'>
  message: string
}

/** The permissions of a person in an account at a moment. */
export type Judgement = {
  identities: IdentityJudgement[]
  /** Null when at least one identity counts. */
  refusal: AccessRefusal | null
  isPowerAdmin: boolean
  isPowerUser: boolean
  /** The identities that count. */
  counting: HeldIdentity[]
  /** Their policies, each once. */
  policies: HeldPolicy[]
}

/**
 * Judges which identities count and what follows from them (product rules, part 2 and 3; specification 2 §3 and §6).
 * Each identity counts, and grants its policies, only within its own limits. Sign-in, every request and `explain` all
 * use this function.
 */
export function judgeAccess(account: JudgedAccount, held: readonly HeldIdentity[], moment: Moment): Judgement {
  const identities = held.map((identity) => judgeIdentity(account, identity, moment))
  const counting = identities.filter(({ counts }) => counts).map(({ identity }) => identity)
  const ofAccounts = counting.filter((identity) => identity.account !== null).flatMap(({ policies }) => policies)
  const holdsAccount = holdsEveryAction(ofAccounts)
  const administrators = counting.filter(isPowerAdminIdentity)
  // A global identity with few rights takes nothing away from a power user of the account.
  const isPowerAdmin = administrators.length > 0 && !(holdsAccount && administrators.every(isLimitedAdministrator))
  return {
    identities,
    refusal: counting.length > 0 ? null : refusalOf(account, identities, moment),
    isPowerAdmin,
    isPowerUser: !isPowerAdmin && holdsAccount,
    counting,
    policies: eachOnce(counting),
  }
}

/** The policies of all enabled identities regardless of limits, each once, by name. */
export function policiesHeld(held: readonly HeldIdentity[]): HeldPolicy[] {
  return eachOnce(held.filter(({ isDisabled }) => !isDisabled))
}

/** Describes a check of an identity for people. */
export function checkInWords({ limit }: IdentityCheck, identity: HeldIdentity, { timeZone }: JudgedAccount): string {
  if (limit === 'account') return 'The account is not suspended'
  if (limit === 'identity') return 'The identity is not disabled'
  if (limit === 'twoFactor') return 'Two-factor is on, as required here'
  return limitInWords(limit, identity, identity.homeZone ?? timeZone)
}

function judgeIdentity(account: JudgedAccount, identity: HeldIdentity, moment: Moment): IdentityJudgement {
  const checks: IdentityCheck[] = [
    // Only power admins enter a suspended account.
    { limit: 'account', isMet: !account.isSuspended || isPowerAdminIdentity(identity) },
    { limit: 'identity', isMet: !identity.isDisabled },
    ...(account.lacksTwoFactor ? [{ limit: 'twoFactor' as const, isMet: false }] : []),
    ...judgeLimits(identity, identity.homeZone ?? account.timeZone, moment),
  ]
  return { identity, checks, counts: checks.every(({ isMet }) => isMet) }
}

function refusalOf(
  account: JudgedAccount,
  identities: readonly IdentityJudgement[],
  { address }: Moment,
): AccessRefusal {
  const enabled = identities.filter(({ identity }) => !identity.isDisabled)
  if (enabled.length === 0) {
    return { code: 'not_signed_in', message: 'You no longer have access to this account. Please sign in again.' }
  }
  const unmet = enabled.map(({ identity, checks }) => ({
    identity,
    failed: checks.filter(({ limit, isMet }) => !isMet && limit !== 'twoFactor'),
  }))
  // One of the identities lacks only two-factor.
  if (unmet.some(({ failed }) => failed.length === 0)) {
    return { code: 'two_factor_needed', message: errors.two_factor_needed.text }
  }
  const reasons = unmet.flatMap(({ identity, failed }) => {
    if (failed.some(({ limit }) => limit === 'account')) return ['This account is suspended.']
    return failed.map((check) => {
      const limit = `You may work here only within this limit: ${checkInWords(check, identity, account)}.`
      return check.limit === 'cidr' ? `${limit} Your address is ${address}.` : limit
    })
  })
  return { code: 'outside_limits', message: [...new Set(reasons)].join(' ') }
}

function eachOnce(identities: readonly HeldIdentity[]): HeldPolicy[] {
  const [first] = identities
  // The usual case: one identity, whose policies are already unique.
  if (first && identities.length === 1) return first.policies
  const byId = new Map(identities.flatMap(({ policies }) => policies).map((policy) => [policy.id, policy]))
  return [...byId.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}
