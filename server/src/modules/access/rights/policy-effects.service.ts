import { setImmediate as nextTurn } from 'node:timers/promises'
import type { z } from 'zod'
import type { NewPolicy } from '@portico/contract/policies'
import { namedInEffect, type PolicyEffect } from '@portico/contract/rights'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { AccountContext } from '#platform/http/context.ts'
import { isEveryone } from '../groups/built-in.ts'
import { requireUsablePatterns, requireVisiblePolicy } from '../policies/policies.service.ts'
import { administratorOf } from '../administrator.ts'
import { enterableAccounts } from '../evaluator/entrances.service.ts'
import { effectsOf } from './policy-effects.ts'
import { judgedAccount } from './rights.service.ts'
import { selectAccessOfHolders } from './rights.queries.ts'

type Draft = Pick<z.output<typeof NewPolicy>, 'actions' | 'conditions' | 'conditionLogic'>

/**
 * Lists who gains or loses rights in some account if the policy is changed to `draft`; people with the same effect
 * together, the largest number first. Days, hours and networks of identities count as met, as in `rightsOf`.
 * @throws not_found when the caller cannot see the policy; invalid_input for a regular expression that cannot be used
 */
export async function policyEffects(
  { pool }: Pick<Database, 'pool'>,
  context: AccountContext,
  id: string,
  draft: Draft,
): Promise<PolicyEffect[]> {
  const { account, address, caller, db } = context
  const right = { access: 'administrator', action: 'identity::policies::get' } as const
  if (caller.refusal(right, 'any') !== null) throw new AppError('not_found')
  const policy = await requireVisiblePolicy(db, await administratorOf(context), id)
  requireUsablePatterns(draft)
  const rows = await selectAccessOfHolders(pool, account, {
    policy: policy.id,
    isEveryones: policy.groups.some(isEveryone),
  })
  const open = await enterableAccounts(db, caller, { address })
  const effectOn = effectsOf({ ...draft, id: policy.id })
  const effects = new Map<string, PolicyEffect>()
  for (const row of rows) {
    await nextTurn()
    if (row.account_id === null) continue
    const judged = judgedAccount(row.account_id, row)
    const effect = judged && (await effectOn(judged, row.identities))
    if (!effect) continue
    const key = JSON.stringify(effect)
    const known = effects.get(key) ?? { ...effect, count: 0, holders: [] }
    effects.set(key, known)
    known.count++
    // People of accounts that the caller may not enter are counted, not named.
    const isNamed = row.account_id === account || open.has(row.account_id)
    if (!isNamed || known.holders.length === namedInEffect) continue
    const kind = row.is_service ? ('service' as const) : ('person' as const)
    known.holders.push({ email: row.email, userName: row.user_name, kind, account: row.account_id })
  }
  return [...effects.values()].toSorted((one, other) => other.count - one.count)
}
