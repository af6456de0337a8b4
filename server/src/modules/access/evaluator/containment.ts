import { methods } from '@portico/contract/policies'
import { implies } from './condition-implication.ts'
import type { Policy } from './granted-actions.ts'

/** An action that a set of policies grants and another set does not, or not certainly. */
export type Excess = {
  /** The name of the policy that grants it. */
  policy: string
  action: string
  /** `action`: the other policies do not hold it; `condition`: they do, but may not allow every such request. */
  reason: 'action' | 'condition'
}

/**
 * Compares policies as `isAllowed` judges them: null when each action and request that `given` allows is certainly
 * allowed by `own` too. Uncertain cases count as an excess. Actions that do not exist yet are compared like existing
 * ones.
 */
export function excessOf(own: readonly Policy[], given: readonly Policy[]): Excess | null {
  for (const policy of given) {
    for (const conditions of alternativesOf(policy)) {
      const held = actionsOf(own.filter((each) => holdsWhenever(each, conditions)))
      const action = policy.actions.find((each) => !isCovered(held, each))
      if (action === undefined) continue
      return { policy: policy.name, action, reason: isCovered(actionsOf(own), action) ? 'condition' : 'action' }
    }
  }
  return null
}

/** The sets of conditions under each of which a policy grants its actions: all conditions together, or each alone. */
function alternativesOf({ conditions, conditionLogic }: Policy): (readonly string[])[] {
  return conditionLogic === 'or' && conditions.length > 0 ? conditions.map((each) => [each]) : [conditions]
}

/** Whether a policy grants its actions to every request that meets all of these conditions. */
function holdsWhenever({ conditions, conditionLogic }: Policy, met: readonly string[]): boolean {
  const isMet = (condition: string): boolean => met.some((each) => implies(each, condition))
  if (conditions.length === 0) return true
  return conditionLogic === 'or' ? conditions.some(isMet) : conditions.every(isMet)
}

/** Actions by their three parts, in lower case. */
type Actions = { known: ReadonlySet<string>; services: readonly string[]; resources: readonly string[] }

function actionsOf(policies: readonly Policy[]): Actions {
  const known = new Set(policies.flatMap(({ actions }) => actions.map((action) => action.toLowerCase())))
  const parts = [...known].map((action) => action.split('::'))
  const named = (position: number): string[] => [...new Set(parts.map((each) => each[position] ?? ''))]
  return { known, services: named(0), resources: named(1) }
}

// A part that no action names, for actions added in later releases.
const unnamed = '?'
// Far more than the services and resources of the catalog.
const mostCombinations = 100_000

function isCovered({ known, services, resources }: Actions, action: string): boolean {
  const [service = '', resource = '', method = '', ...more] = action.toLowerCase().split('::')
  // The action of a call has three parts.
  if (more.length > 0 || method === '') return true
  const namesOf = (part: string, all: readonly string[]): string[] => (part === '*' ? [...all, unnamed] : [part])
  const [ofService, ofResource] = [namesOf(service, services), namesOf(resource, resources)]
  if (ofService.length * ofResource.length > mostCombinations) return known.has(action.toLowerCase())
  const ofMethod = method === '*' ? methods.filter((each) => each !== '*') : [method]
  return ofService.every((one) =>
    ofResource.every((other) => ofMethod.every((each) => isHeld(known, [one, other, each]))),
  )
}

/** Matches as `isAllowed` does: each part equals the held one, unless that is `*`. */
function isHeld(known: ReadonlySet<string>, [service, resource, method]: [string, string, string]): boolean {
  return [service, '*'].some((one) =>
    [resource, '*'].some((other) => [method, '*'].some((each) => known.has(`${one}::${other}::${each}`))),
  )
}
