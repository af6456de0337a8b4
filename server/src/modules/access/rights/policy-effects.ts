import type { AccountRole, PolicyEffect } from '@portico/contract/rights'
import type { JudgedAccount } from '../evaluator/access-judgement.ts'
import type { Policy } from '../evaluator/granted-actions.ts'
import type { HeldIdentity } from '../evaluator/held-identity.ts'
import { effectiveRights, type EffectiveRight } from './effective-rights.ts'
import { roleOf } from './rights-on-wire.ts'

/** A policy that would be saved in place of the one with this id. */
export type PolicyDraft = Omit<Policy, 'name'> & { id: string }

/** What a change does to the rights in an account of all who hold the same policies there. */
type Effect = Pick<PolicyEffect, 'role' | 'changes'>

/**
 * Returns a function that compares the rights of a person before and after a change of a policy, by the evaluator; null
 * where nothing changes. Equal holdings are judged once, since most people of an account hold the same groups.
 */
export function effectsOf(
  draft: PolicyDraft,
): (account: JudgedAccount, held: readonly HeldIdentity[]) => Effect | null {
  const known = new Map<string, Effect | null>()
  return (account, held) => {
    if (!held.some(({ policies }) => policies.some(({ id }) => id === draft.id))) return null
    const key = holdingKey(account, held)
    const found = known.get(key)
    if (found !== undefined) return found
    const effect = compare(
      account,
      held,
      held.map((identity) => withDraft(identity, draft)),
    )
    known.set(key, effect)
    return effect
  }
}

/** All that `effectiveRights` reads of an account and of identities, whose policies are those of one moment. */
function holdingKey({ isSuspended, lacksTwoFactor }: JudgedAccount, held: readonly HeldIdentity[]): string {
  const each = held.map(({ account, isDisabled, isAdmin, policies }) => [
    account === null,
    isDisabled,
    isAdmin,
    policies.map(({ id, isAssigned }) => [id, isAssigned]),
  ])
  return JSON.stringify([isSuspended, lacksTwoFactor, each])
}

function withDraft(identity: HeldIdentity, { id, actions, conditions, conditionLogic }: PolicyDraft): HeldIdentity {
  const policies = identity.policies.map((policy) =>
    policy.id === id ? { ...policy, actions, conditions, conditionLogic } : policy,
  )
  return { ...identity, policies }
}

function compare(account: JudgedAccount, held: readonly HeldIdentity[], then: readonly HeldIdentity[]): Effect | null {
  const [before, after] = [effectiveRights(account, held), effectiveRights(account, then)]
  const role: { before: AccountRole; after: AccountRole } = {
    before: roleOf(before.judgement),
    after: roleOf(after.judgement),
  }
  const changes = before.rights.flatMap((right, index) => {
    const next = after.rights[index]
    return next && isOther(right, next) ? [{ action: right.action, before: right.may, after: next.may }] : []
  })
  return changes.length > 0 || role.before !== role.after ? { role, changes } : null
}

const isOther = (before: EffectiveRight, after: EffectiveRight): boolean =>
  before.may !== after.may || (before.may === 'conditions' && conditionsOf(before) !== conditionsOf(after))

/** The conditions under which policies give an action, in one text. */
const conditionsOf = ({ by }: EffectiveRight): string =>
  JSON.stringify(
    by
      .map(({ policy: { conditions, conditionLogic } }) => [conditionLogic, ...conditions].join('\n'))
      .toSorted((one, other) => (one < other ? -1 : 1)),
  )
