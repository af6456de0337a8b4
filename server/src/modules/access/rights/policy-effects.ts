import type { AccountRole, PolicyEffect } from '@portico/contract/rights'
import type { JudgedAccount } from '../evaluator/access-judgement.ts'
import type { Policy } from '../evaluator/granted-actions.ts'
import type { HeldIdentity } from '../evaluator/held-identity.ts'
import type { EffectiveRight } from './effective-rights.ts'
import { rightsInTurns } from './rights.service.ts'
import { roleOf } from './rights-on-wire.ts'

/** A policy that would be saved in place of the one with this id. */
export type PolicyDraft = Omit<Policy, 'name'> & { id: string }

/** The effect of a change on the rights in an account, for all who hold the same policies there. */
type Effect = Pick<PolicyEffect, 'role' | 'changes'>

/**
 * Returns a function that compares the rights of a person before and after a change of a policy, by the evaluator; null
 * where nothing changes. Equal holdings are judged once, since most people of an account hold the same groups.
 */
export function effectsOf(
  draft: PolicyDraft,
): (account: JudgedAccount, held: readonly HeldIdentity[]) => Promise<Effect | null> {
  const known = new Map<string, Effect | null>()
  return async (account, held) => {
    if (!held.some(({ policies }) => policies.some(({ id }) => id === draft.id))) return null
    const key = holdingKey(account, held)
    const found = known.get(key)
    if (found !== undefined) return found
    const effect = await compare(account, held, draft)
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

async function compare(
  account: JudgedAccount,
  held: readonly HeldIdentity[],
  draft: PolicyDraft,
): Promise<Effect | null> {
  const then = held.map((identity) => withDraft(identity, draft))
  const [before, after] = [await rightsInTurns(account, held), await rightsInTurns(account, then)]
  const role: { before: AccountRole; after: AccountRole } = {
    before: roleOf(before.judgement),
    after: roleOf(after.judgement),
  }
  const changes = before.rights.flatMap((right, index) => {
    const next = after.rights[index]
    return next && isOther(right, next, draft) ? [{ action: right.action, before: right.may, after: next.may }] : []
  })
  return changes.length > 0 || role.before !== role.after ? { role, changes } : null
}

/** Only the policy `draft` differs before and after, so the conditions of others are not compared. */
function isOther(before: EffectiveRight, after: EffectiveRight, draft: PolicyDraft): boolean {
  if (before.may !== after.may) return true
  if (before.may !== 'conditions') return false
  return conditionsOf(before, draft) !== conditionsOf(after, draft)
}

/** The policies by which an action is given, with the conditions of the one that changes, in one text. */
const conditionsOf = ({ by }: EffectiveRight, { id }: PolicyDraft): string =>
  JSON.stringify(
    by.map(({ policy }) => (policy.id === id ? [id, policy.conditionLogic, policy.conditions] : policy.id)),
  )
