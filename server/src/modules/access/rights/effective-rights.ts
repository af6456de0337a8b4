import { api } from '@portico/contract/api'
import type { May } from '@portico/contract/rights'
import { knownActions } from '@portico/contract/rights/action-words'
import type { Action, Route } from '@portico/contract/route'
import type { CallerRight, JudgedRequest } from '#platform/http/context.ts'
import { judgeAccess, type JudgedAccount, type Judgement } from '../evaluator/access-judgement.ts'
import { isAllowed, matchingAction } from '../evaluator/granted-actions.ts'
import type { HeldIdentity, HeldPolicy } from '../evaluator/held-identity.ts'
import { administers, administratorPolicies, holdsEveryAction, isPowerAdminIdentity } from '../evaluator/power.ts'
import { routeRefusal } from '../evaluator/route-access.ts'

/** A policy of an identity that gives an action by the held one. */
type Giving = { identity: HeldIdentity; policy: HeldPolicy; held: string }

export type EffectiveRight = { action: Action; may: May; by: Giving[] }

/** Actions with the rights of the calls that need them; features alone are asked for by the action itself. */
const rightsNeeded: readonly { action: Action; needs: CallerRight[] }[] = knownActions.map(({ action: text }) => {
  // The actions of the table have three parts: a test compares them with those of the calls.
  const action = text as Action
  const administrative = Object.values<Route>(api).flatMap(({ access, action: needed }) =>
    needed === action ? [{ access, action }] : [],
  )
  return { action, needs: administrative.length > 0 ? administrative : [{ access: action }] }
})

/**
 * Judges every action of the portal as the calls that need it would be judged while the days, hours and networks of all
 * identities are met; `only` one action, unless null. It decides nothing itself: `judgeAccess` and `routeRefusal` do, as for
 * each request.
 */
export function effectiveRights(
  account: JudgedAccount,
  held: readonly HeldIdentity[],
  only: string | null = null,
): { judgement: Judgement; rights: EffectiveRight[] } {
  const judgement = judgeAccess(account, held.map(withoutLimits), { at: new Date(0), address: '' })
  const wanted = rightsNeeded.filter(({ action }) => only === null || action === only)
  return { judgement, rights: wanted.map(({ action, needs }) => rightTo(account, judgement, action, needs)) }
}

function withoutLimits(identity: HeldIdentity): HeldIdentity {
  return { ...identity, days: [], daysEffect: null, hours: [], hoursEffect: null, cidr: null }
}

function rightTo(account: JudgedAccount, judgement: Judgement, action: Action, needs: CallerRight[]): EffectiveRight {
  const { isPowerAdmin, isPowerUser, policies, refusal } = judgement
  const caller = {
    kind: 'session' as const,
    account: account.id,
    requirement: null,
    isPowerAdmin,
    isPowerUser,
    administers: (wanted: Action, request: JudgedRequest) => administers(judgement, wanted, request),
    can: (wanted: Action, request: JudgedRequest) => isAllowed(policies, wanted, request),
  }
  const isGiven = (request: 'any' | null): boolean =>
    refusal === null && needs.some((right) => routeRefusal(caller, right, request) === null)
  const may = isGiven('any') ? 'always' : isGiven(null) ? 'conditions' : 'never'
  const isAdministrative = needs.some(({ access }) => access !== action)
  return { action, may, by: may === 'never' ? [] : givingOf(judgement, action, isAdministrative) }
}

/** The policies by which the evaluator gives the action. */
function givingOf(judgement: Judgement, action: Action, isAdministrative: boolean): Giving[] {
  return judgement.counting.flatMap((identity) => {
    const policies = isAdministrative ? administering(judgement, identity) : identity.policies
    return policies.flatMap((policy) => {
      const held = matchingAction(policy, action)
      return held === null ? [] : [{ identity, policy, held }]
    })
  })
}

/** The policies of an identity that count for calls of administrators, as in `administers`. */
function administering({ isPowerAdmin }: Judgement, identity: HeldIdentity): HeldPolicy[] {
  if (isPowerAdmin) return isPowerAdminIdentity(identity) ? administratorPolicies(identity) : []
  return identity.account === null ? [] : identity.policies.filter((policy) => holdsEveryAction([policy]))
}
