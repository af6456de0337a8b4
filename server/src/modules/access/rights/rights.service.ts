import type { AccountId } from '@portico/contract/accounts'
import type { EffectiveRights } from '@portico/contract/rights'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { AccountContext } from '#platform/http/context.ts'
import { administratorOf, ownerOnWire } from '../administrator.ts'
import { checkInWords, type JudgedAccount } from '../evaluator/access-judgement.ts'
import { eachLimitInWords } from '../evaluator/limit.ts'
import { accessRowOf } from '../explanation/access-explanation.service.ts'
import { visiblePolicies } from '../policies/policies.service.ts'
import { type EffectiveRight, effectiveRights } from './effective-rights.ts'

/**
 * Lists what a person or a service identity may do in the caller's account. Global identities are included for power
 * admins only, as in `explain`, and texts of policies for callers who may read these policies.
 * @throws not_found when the person or service has no access to the account
 */
export async function rightsOf(
  database: Database,
  context: AccountContext,
  { email }: { email: string },
): Promise<EffectiveRights> {
  const { account, caller } = context
  const row = await accessRowOf(database, account, email)
  const held = row?.identities.filter((identity) => caller.isPowerAdmin || identity.account !== null) ?? []
  if (!row || held.length === 0 || row.time_zone === null) throw new AppError('not_found')
  const judged: JudgedAccount = {
    id: account,
    timeZone: row.time_zone,
    isSuspended: row.is_suspended,
    lacksTwoFactor: row.lacks_two_factor,
  }
  const { judgement, rights } = effectiveRights(judged, held)
  const readable = await readablePolicies(context)
  return {
    email: row.email,
    account,
    isPowerAdmin: judgement.isPowerAdmin,
    isPowerUser: judgement.isPowerUser,
    hasHiddenPolicies: held.length < row.identities.length,
    identities: judgement.identities.map(({ identity, checks }, index) => {
      const unmet = checks.find(({ isMet }) => !isMet)
      return {
        aid: ownerOnWire(identity.account),
        refusal: unmet ? `Gives nothing here unless: ${checkInWords(unmet, identity, judged)}.` : null,
        limits: eachLimitInWords(held[index] ?? identity, identity.homeZone ?? judged.timeZone),
        rowRule: identity.rowRule,
      }
    }),
    rights: rights.map((right) => onWire(right, readable)),
  }
}

/** Ids of the policies whose texts the caller may read. */
async function readablePolicies(context: AccountContext): Promise<ReadonlySet<string>> {
  const { caller, db } = context
  const right = { access: 'administrator', action: 'identity::policies::get' } as const
  if (caller.refusal(right, 'any') !== null) return new Set()
  return new Set((await visiblePolicies(db, await administratorOf(context))).map(({ id }) => id))
}

function onWire({ action, may, by }: EffectiveRight, readable: ReadonlySet<string>): EffectiveRights['rights'][number] {
  return {
    action,
    may,
    by: by.map(({ identity, policy: { id, name, groups, conditions, conditionLogic }, held }) => ({
      policy: name,
      aid: ownerOnWire(identity.account),
      groups,
      text: readable.has(id) ? { action: held, conditions: [...conditions], conditionLogic } : null,
    })),
  }
}
