import type { Db } from '#platform/database.ts'
import type { Administrator } from '../administrator.ts'
import type { Policy } from '../evaluator/granted-actions.ts'
import { type Bounds, everything } from '../evaluator/holdings.ts'
import { areNoMore, requireHeld, type Rights } from '../giving.ts'
import { isEveryone } from '../groups/built-in.ts'
import { selectHolderLimits } from './policies.queries.ts'

/** The rights that policies give, without regard to the limits of the identities that hold them. */
export const rightsOf = (policies: readonly Policy[], limits: Bounds | null = null): Rights => ({
  policies,
  limits,
  reachesSubAccounts: false,
})

/**
 * Makes sure that a change of a policy, or of the policies of a group, gives its holders nothing that the administrator
 * does not hold, within the limits of each identity and for the contacts it sees. `groups` are the groups affected.
 * @throws exceeds_rights
 */
export async function requireGainsHeld(
  tx: Db,
  admin: Administrator,
  { groups, ...of }: ({ policy: string } | { group: string }) & { groups: readonly { name: string }[] },
  before: readonly Policy[],
  after: readonly Policy[],
): Promise<void> {
  if (areNoMore(rightsOf(after), rightsOf(before))) return
  requireHeld(admin, rightsOf(after))
  const holders = groups.some(isEveryone) ? [everything.limits] : await selectHolderLimits(tx, of)
  for (const limits of holders) requireHeld(admin, rightsOf(after, limits))
}
