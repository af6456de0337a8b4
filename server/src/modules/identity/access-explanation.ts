import type { Explanation } from '@portico/contract/explain'
import type { Action } from '@portico/contract/route'
import { type JudgedAccount, checkInWords, type HeldIdentity, judgeAccess, type Judgement } from './access-judgement.ts'
import type { RequestParts } from '#platform/http/context.ts'
import { featuresOf, isAllowed, judgePolicy } from './granted-actions.ts'
import type { Moment } from './limit.ts'

/** What is to be explained: may this person do `action`, with this request, at this moment? */
export type Question = { email: string; action: Action; request: RequestParts; moment: Moment }

/**
 * Tells whether somebody may do something, and by what. It decides nothing itself: it asks `judgeAccess`, `isAllowed`
 * and `judgePolicy`, as each request does, and writes down what they say.
 */
export function explainAccess(
  account: JudgedAccount,
  held: readonly HeldIdentity[],
  { email, action, request, moment }: Question,
): Explanation {
  const judgement = judgeAccess(account, held, moment)
  const isGranted = judgement.refusal === null && isAllowed(judgement.policies, action, request)
  const identities = judgement.identities.map(({ identity, counts, checks }) => ({
    aid: identity.account ?? ('*' as const),
    counts,
    limits: checks.map((check) => ({ ...check, rule: checkInWords(check, identity, account) })),
    policies: identity.policies.map((policy) => ({
      policy: policy.name,
      groups: policy.groups,
      conditionLogic: policy.conditionLogic,
      ...judgePolicy(policy, action, request),
    })),
  }))
  return {
    email,
    account: account.id,
    action,
    features: featuresOf(action),
    isAllowed: isGranted,
    reason: reasonOf(judgement, identities, { email, action, isGranted }),
    at: moment.at.toISOString(),
    address: moment.address,
    identities,
  }
}

function reasonOf(
  { refusal }: Judgement,
  identities: Explanation['identities'],
  { email, action, isGranted }: { email: string; action: Action; isGranted: boolean },
): string {
  if (refusal) return `Refused: no identity of ${email} counts here now. They are told: ${refusal.message}`
  const policies = identities.filter(({ counts }) => counts).flatMap((identity) => identity.policies)
  const granting = policies.find(({ outcome }) => outcome === 'grants')
  if (isGranted && granting) {
    const conditions = granting.conditions.length > 0 ? `, and ${met(granting)}` : ''
    const through = granting.groups.map((group) => `"${group}"`).join(', ')
    return `Allowed: the policy "${granting.policy}", held through ${through}, has the action ${granting.action}${conditions}.`
  }
  const unmet = policies.find(({ outcome }) => outcome === 'condition')
  if (!unmet) return `Refused: ${email} holds no policy with an action that matches ${action}.`
  const failed = unmet.conditions.filter(({ isMet }) => !isMet).map(({ condition }) => `"${condition}"`)
  const which =
    failed.length === 1
      ? `its condition ${failed.join('')} does not hold`
      : `its conditions ${failed.join(', ')} do not hold`
  return `Refused: the policy "${unmet.policy}" has the action ${unmet.action}, but ${which}.`
}

function met({ conditions }: Explanation['identities'][number]['policies'][number]): string {
  const holding = conditions.filter(({ isMet }) => isMet).map(({ condition }) => `"${condition}"`)
  return holding.length === 1 ? `its condition ${holding.join('')} holds` : `its conditions ${holding.join(', ')} hold`
}
