import type { AccountRole, EffectiveRights, Giver, HeldPolicyInWords } from '@portico/contract/rights'
import type { AccountContext } from '#platform/http/context.ts'
import { administratorOf, ownerOnWire } from '../administrator.ts'
import { checkInWords, type JudgedAccount, type Judgement } from '../evaluator/access-judgement.ts'
import type { HeldIdentity, HeldPolicy } from '../evaluator/held-identity.ts'
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

/** Collects the policies of a reply, each once for all actions and people with the same groups. */
export class PoliciesOnWire {
  readonly list: HeldPolicyInWords[] = []
  readonly #places = new Map<string, number>()
  readonly #readable: ReadonlySet<string>

  /** `readable`: ids of the policies with their texts. */
  constructor(readable: ReadonlySet<string>) {
    this.#readable = readable
  }

  /** The policies that give an action, by their places in `list`. */
  giversOf({ by }: EffectiveRight): Giver[] {
    return by.map(({ identity, policy, held }) => ({
      policy: this.#placeOf(identity, policy),
      action: this.#readable.has(policy.id) ? held : null,
    }))
  }

  #placeOf({ account }: HeldIdentity, { id, name, groups, conditions, conditionLogic }: HeldPolicy): number {
    const key = JSON.stringify([account, id, groups])
    const known = this.#places.get(key)
    if (known !== undefined) return known
    const text = this.#readable.has(id) ? { conditions: [...conditions], conditionLogic } : null
    this.#places.set(key, this.list.length)
    return this.list.push({ policy: name, aid: ownerOnWire(account), groups, text }) - 1
  }
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
