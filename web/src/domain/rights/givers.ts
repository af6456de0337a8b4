import type { Giver, HeldPolicyInWords } from '@portico/contract/rights'

/** A policy that gives an action, by `action`; null for one whose text the viewer may not read. */
export type GivingPolicy = HeldPolicyInWords & Pick<Giver, 'action'>

/** The policies that give an action, from the list that a reply has for all actions and people. */
export const giversFrom = (by: readonly Giver[], policies: readonly HeldPolicyInWords[]): GivingPolicy[] =>
  by.flatMap(({ policy, action }) => {
    const held = policies[policy]
    return held ? [{ ...held, action }] : []
  })
