import type { AccountRole, EffectiveRights } from '@portico/contract/rights'
import type { AccountContext } from '#platform/http/context.ts'
import { administratorOf, ownerOnWire } from '../administrator.ts'
import { checkInWords, type JudgedAccount, type Judgement } from '../evaluator/access-judgement.ts'
import type { HeldIdentity } from '../evaluator/held-identity.ts'
import { eachLimitInWords } from '../evaluator/limit.ts'
import { visiblePolicies } from '../policies/policies.service.ts'
import type { EffectiveRight } from './effective-rights.ts'

/** Ids of the policies whose texts the caller may read. */
export async function readablePolicies(context: AccountContext): Promise<ReadonlySet<string>> {
  const { caller, db } = context
  const right = { access: 'administrator', action: 'identity::policies::get' } as const
  if (caller.refusal(right, 'any') !== null) return new Set()
  return new Set((await visiblePolicies(db, await administratorOf(context))).map(({ id }) => id))
}

/** The policies that give an action; those not in `readable` without their texts. */
export function policiesOnWire(
  { by }: EffectiveRight,
  readable: ReadonlySet<string>,
): EffectiveRights['rights'][number]['by'] {
  return by.map(({ identity, policy: { id, name, groups, conditions, conditionLogic }, held }) => ({
    policy: name,
    aid: ownerOnWire(identity.account),
    groups,
    text: readable.has(id) ? { action: held, conditions: [...conditions], conditionLogic } : null,
  }))
}

export function roleOf({ isPowerAdmin, isPowerUser }: Judgement): AccountRole {
  if (isPowerAdmin) return 'power-admin'
  return isPowerUser ? 'power-user' : 'member'
}

/** The identities with their limits in words. `held` are the judged ones, in the same order, with their limits. */
export function identitiesOnWire(
  { identities }: Judgement,
  held: readonly HeldIdentity[],
  account: JudgedAccount,
): EffectiveRights['identities'] {
  return identities.map(({ identity, checks }, index) => {
    const unmet = checks.find(({ isMet }) => !isMet)
    return {
      aid: ownerOnWire(identity.account),
      refusal: unmet ? `Gives nothing here unless: ${checkInWords(unmet, identity, account)}.` : null,
      limits: eachLimitInWords(held[index] ?? identity, identity.homeZone ?? account.timeZone),
      rowRule: identity.rowRule,
    }
  })
}
