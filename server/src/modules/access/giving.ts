import { isWithinRule } from '@portico/domain/pipeline/row-rules'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { type Excess, excessOf } from './evaluator/containment.ts'
import type { Policy } from './evaluator/granted-actions.ts'
import { type Bounds, everything, type Holding } from './evaluator/holdings.ts'
import { areWithin, limitsInWords } from './evaluator/limit.ts'

// No right can be used to gain more rights: this is the one rule for everything that gives rights (ADR 0088).

/** Rights that an identity has or would get. */
export type Rights = {
  policies: readonly Policy[]
  /** Null: judged without regard to when, where and for which contacts they apply. */
  limits: Bounds | null
  /** They also apply in the sub-accounts of the account. */
  reachesSubAccounts: boolean
}

/**
 * Called in the transaction of a change that gives more rights than before, for example to require a recent password.
 */
export type BeforeGiving = { beforeGiving: (tx: Db) => Promise<void> }

/**
 * Throws unless the caller has entered their password recently. Passed in because sign-in comes later in the module
 * order.
 */
export type StepUp = (db: Db, caller: Pick<Caller, 'kind' | 'sessionId'>) => Promise<void>

type Giver = { holdings: readonly Holding[] }

/** @throws exceeds_rights unless the administrator holds these rights; the message says which they lack */
export function requireHeld({ holdings }: Giver, rights: Rights): void {
  const problem = problemOf(holdings, rights)
  if (problem !== null) throw new AppError('exceeds_rights', undefined, problem)
}

/** Whether the administrator holds these rights. */
export const isHeld = ({ holdings }: Giver, rights: Rights): boolean => problemOf(holdings, rights) === null

const everyRight: Rights = { ...everything, reachesSubAccounts: false }

/** Whether the administrator holds every right, at any time and place and for all contacts. */
export function holdsEverything(giver: Giver): boolean {
  return isHeld(giver, everyRight)
}

/**
 * For changes that move the limits of others or give them access again, which may give any right.
 * @throws exceeds_rights unless `holdsEverything`
 */
export function requireEverything(giver: Giver): void {
  requireHeld(giver, everyRight)
}

/** Whether `rights` give nothing beyond `known`. */
export function areNoMore(rights: Rights, known: Rights): boolean {
  const { policies, limits, reachesSubAccounts } = known
  return problemOf([{ policies, limits: limits ?? everything.limits, reachesSubAccounts }], rights) === null
}

/** In words for the administrator; null if there is no problem. */
function problemOf(holdings: readonly Holding[], { policies, limits, reachesSubAccounts }: Rights): string | null {
  const own = excessOf(policiesOf(holdings), policies)
  if (own !== null) return excessInWords(own)
  const reaching = reachesSubAccounts ? holdings.filter((holding) => holding.reachesSubAccounts) : holdings
  if (excessOf(policiesOf(reaching), policies) !== null || (reachesSubAccounts && reaching.length === 0)) {
    return 'You do not have access to all sub-accounts yourself, so you cannot give it. Ask a power admin or a power user who has it.'
  }
  if (limits === null) return null
  const within = reaching.filter((holding) => areWithin(limits, holding.limits))
  if (within.length > 0 && excessOf(policiesOf(within), policies) === null) {
    const seeing = within.filter((holding) => isWithinRule(limits.rowRule, holding.limits.rowRule))
    if (seeing.length > 0 && excessOf(policiesOf(seeing), policies) === null) return null
    return 'Your identity sees only some contacts. You can give access to these or fewer only: choose the same contacts, or these with further conditions.'
  }
  const ownLimits = [...new Set(reaching.map((holding) => limitsInWords(holding.limits)))].filter(
    (words) => words !== '',
  )
  return `Your own access is limited to ${ownLimits.join('; or ')}. You can give access within these limits only: set the same or narrower ones.`
}

const policiesOf = (holdings: readonly Holding[]): Policy[] => holdings.flatMap(({ policies }) => [...policies])

function excessInWords({ policy, action, reason }: Excess): string {
  return reason === 'action'
    ? `The policy "${policy}" gives ${action}, which you do not hold yourself. You cannot give or change more than you hold: ask someone who does.`
    : `You hold ${action} under conditions only, and it cannot be told that those of the policy "${policy}" are within yours. Use the same conditions, or ask someone who holds it without.`
}
