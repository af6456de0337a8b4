import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AccountId } from '@portico/contract/accounts'
import type { EffectiveRights, RightHolder, RightHolders } from '@portico/contract/rights'
import { findAction, knownActions } from '@portico/contract/rights/action-words'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { AccountContext } from '#platform/http/context.ts'
import type { JudgedAccount } from '../evaluator/access-judgement.ts'
import type { AccessRow } from '../evaluator/access-sql.ts'
import type { HeldIdentity } from '../evaluator/held-identity.ts'
import { accessRowOf, identitiesShown } from '../explanation/access-explanation.service.ts'
import { type EffectiveRight, effectiveRights } from './effective-rights.ts'
import { selectAccessOfMembers } from './rights.queries.ts'
import { identitiesOnWire, PoliciesOnWire, readablePolicies, roleOf } from './rights-on-wire.ts'

/**
 * Lists what a person or a service identity may do in the caller's account. Identities of
 * other accounts are included for power admins only, as in `explain`, and texts of policies for callers who may read these policies.
 * @throws not_found when the person or service has no access to the account
 */
export async function rightsOf(
  database: Database,
  context: AccountContext,
  { email }: { email: string },
): Promise<EffectiveRights> {
  const { account, caller } = context
  const row = await accessRowOf(database, account, email)
  const held = identitiesShown(row, account, caller)
  const judged = row && judgedAccount(account, row)
  if (!row || !judged || held.length === 0) throw new AppError('not_found')
  const { judgement, rights } = await rightsInTurns(judged, held)
  const policies = new PoliciesOnWire(await readablePolicies(context))
  return {
    email: row.email,
    account,
    role: roleOf(judgement),
    hasHiddenPolicies: held.length < row.identities.length,
    identities: identitiesOnWire(judgement, held, judged),
    rights: rights.map((right) => ({ action: right.action, may: right.may, by: policies.giversOf(right) })),
    policies: policies.list,
  }
}

/** `effectiveRights`, where other requests are answered between two actions: a person may hold hundreds of policies. */
export async function rightsInTurns(
  judged: JudgedAccount,
  held: readonly HeldIdentity[],
): Promise<ReturnType<typeof effectiveRights>> {
  const rights: EffectiveRight[] = []
  for (const { action } of knownActions) {
    await nextTurn()
    rights.push(...effectiveRights(judged, held, action).rights)
  }
  return { judgement: effectiveRights(judged, held, '').judgement, rights }
}

/** Lists who may do `action` in the caller's account, by email; who and what is shown follows `rightsOf`. */
export async function rightHolders(
  { pool }: Database,
  context: AccountContext,
  { action }: { action: string },
): Promise<RightHolders> {
  const { account, caller } = context
  const wanted = findAction(action)?.action ?? null
  const rows = await selectAccessOfMembers(pool, account, { withGlobal: caller.isPowerAdmin })
  const policies = new PoliciesOnWire(await readablePolicies(context))
  const holders: RightHolder[] = []
  for (const row of rows) {
    await nextTurn()
    const held = identitiesShown(row, account, caller)
    const judged = judgedAccount(account, row)
    if (!judged || held.length === 0) continue
    const { judgement, rights } = effectiveRights(judged, held, wanted)
    for (const right of rights) {
      if (right.may === 'never') continue
      const given = { may: right.may, role: roleOf(judgement), by: policies.giversOf(right) }
      const identities = identitiesOnWire(judgement, held, judged).filter(({ refusal }) => refusal === null)
      const kind = row.is_service ? ('service' as const) : ('person' as const)
      holders.push({ email: row.email, userName: row.user_name, kind, ...given, identities })
    }
  }
  return { holders, policies: policies.list }
}

/** The account of a row, as the evaluator reads it; null if it does not exist. */
export function judgedAccount(account: AccountId, row: AccessRow): JudgedAccount | null {
  const { time_zone: timeZone, is_suspended: isSuspended, lacks_two_factor: lacksTwoFactor } = row
  return timeZone === null ? null : { id: account, timeZone, isSuspended, lacksTwoFactor }
}
