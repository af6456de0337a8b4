import type { RequestParts } from '#platform/http/context.ts'
import type { Explanation } from '@portico/contract/explain'
import { api } from '@portico/contract/api'
import type { Action, Route } from '@portico/contract/route'
import { type JudgedAccount, checkInWords, judgeAccess, type Judgement } from '../evaluator/access-judgement.ts'
import { featuresOf, isAllowed, judgePolicy, type PolicyJudgement } from '../evaluator/granted-actions.ts'
import type { HeldIdentity } from '../evaluator/held-identity.ts'
import type { Moment } from '../evaluator/limit.ts'
import { administers } from '../evaluator/power.ts'
import { grantingOf, visibleRows } from '../evaluator/visible-rows.ts'

/** The question to explain: may this person do `action`, with this request, at this moment? */
export type Question = {
  email: string
  /** The person also has identities of other accounts or global ones, which are not judged for this caller. */
  hasHiddenPolicies?: boolean
  action: Action
  request: RequestParts
  moment: Moment
}

/**
 * Explains whether a person may do something. Decides nothing itself: it reports the results of `judgeAccess`,
 * `isAllowed` and `judgePolicy`, which decide every request.
 */
export function explainAccess(
  account: JudgedAccount,
  held: readonly HeldIdentity[],
  { email, hasHiddenPolicies = false, action, request, moment }: Question,
): Explanation {
  const judgement = judgeAccess(account, held, moment)
  const grants = administratorActions.has(action.toLowerCase())
    ? administers(judgement, action, request)
    : isAllowed(judgement.policies, action, request)
  const isGranted = judgement.refusal === null && grants
  const identities = judgement.identities.map(({ identity, counts, checks }) => ({
    aid: identity.account ?? ('*' as const),
    counts,
    limits: checks.map((check) => ({ ...check, rule: checkInWords(check, identity, account) })),
    rowRule: identity.rowRule,
    policies: identity.policies.map((policy) => ({
      policy: policy.name,
      groups: policy.groups,
      conditionLogic: policy.conditionLogic,
      ...withShortValues(judgePolicy(policy, action, request)),
    })),
  }))
  return {
    email,
    account: account.id,
    action,
    features: featuresOf(action),
    isAllowed: isGranted,
    reason: reasonOf(judgement, identities, { email, action, isGranted }) + hiddenNote(isGranted, hasHiddenPolicies),
    rows: isGranted ? visibleRows(judgement.counting.map(grantingOf), { access: action }, request) : null,
    hasHiddenPolicies,
    at: moment.at.toISOString(),
    address: moment.address,
    identities,
  }
}

/** Actions that policies grant to administrators only. */
const administratorActions: ReadonlySet<string> = new Set(
  Object.values<Route>(api).flatMap(({ action }) => (action === undefined ? [] : [action.toLowerCase()])),
)

// Enough to recognize an element; a filter can have 200,000 characters.
const longestShown = 200

function withShortValues({ conditions, ...judged }: PolicyJudgement): PolicyJudgement {
  const shortened = conditions.map(({ failed, ...condition }) => ({
    ...condition,
    failed: failed !== null && failed.length > longestShown ? `${failed.slice(0, longestShown)}…` : failed,
  }))
  return { ...judged, conditions: shortened }
}

function reasonOf(
  { refusal, isPowerAdmin, isPowerUser }: Judgement,
  identities: Explanation['identities'],
  { email, action, isGranted }: { email: string; action: Action; isGranted: boolean },
): string {
  if (refusal) return `Refused: no identity of ${email} counts here now. They see: ${refusal.message}`
  const policies = identities.filter(({ counts }) => counts).flatMap((identity) => identity.policies)
  const granting = policies.find(({ outcome }) => outcome === 'grants')
  if (isGranted && granting) {
    const conditions = granting.conditions.length > 0 ? `, and ${met(granting)}` : ''
    const through = granting.groups.map((group) => `"${group}"`).join(', ')
    return `Allowed: the policy "${granting.policy}", held through ${through}, has the action ${granting.action}${conditions}.`
  }
  if (administratorActions.has(action.toLowerCase()) && !isPowerAdmin && !isPowerUser) {
    return `Refused: ${action} is for power admins and power users alone, and ${email} is neither here.`
  }
  const unmet = policies.find(({ outcome }) => outcome === 'condition')
  if (!unmet) return `Refused: ${email} holds no policy with an action that matches ${action}.`
  const failed = unmet.conditions.filter(({ isMet }) => !isMet).map(inWords)
  const which =
    failed.length === 1
      ? `its condition ${failed.join('')} does not hold`
      : `its conditions ${failed.join(', ')} do not hold`
  return `Refused: the policy "${unmet.policy}" has the action ${unmet.action}, but ${which}.`
}

/** A note on identities that were not judged, where they could change the result. */
function hiddenNote(isGranted: boolean, hasHiddenPolicies: boolean): string {
  return hasHiddenPolicies && !isGranted
    ? ' Policies held outside this account (visible to power admins) may still allow it.'
    : ''
}

/** A condition in words, with the value that failed it. */
function inWords({ condition, failed }: PolicyJudgement['conditions'][number]): string {
  return failed === null ? `"${condition}"` : `"${condition}" (for "${failed}")`
}

function met({ conditions }: Explanation['identities'][number]['policies'][number]): string {
  const holding = conditions.filter(({ isMet }) => isMet).map(({ condition }) => `"${condition}"`)
  return holding.length === 1 ? `its condition ${holding.join('')} holds` : `its conditions ${holding.join(', ')} hold`
}
