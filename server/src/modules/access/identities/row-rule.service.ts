import type { Stages } from '@portico/contract/filter'
import { beginsWithRule, isSameRule } from '@portico/contract/row-rules'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Administrator } from '../administrator.ts'
import type { IdentityRow } from './identities.queries.ts'
import type { IdentityEffects } from './identity-effects.ts'
import { isOwn } from './identity-rules.ts'

/**
 * Checks the row rule that an identity is to have. Administrators never lift or change the rule of an identity of their own,
 * and give others no more contacts than they see themselves: their own rule comes first in it.
 * @throws not_allowed; invalid_input naming `rowRule`
 */
export async function requireRowRule(
  { db, effects }: { db: Db; effects: Pick<IdentityEffects, 'checkRowRule'> },
  admin: Administrator,
  known: IdentityRow | null,
  rule: Stages | null,
): Promise<void> {
  if (known && isSameRule(known.rowRule, rule)) return
  if (known && isOwn(known, admin)) {
    throw new AppError('not_allowed', undefined, 'Ask another administrator to change which contacts you may see.')
  }
  if (admin.rows && !(rule && beginsWithRule(rule, admin.rows))) {
    const own = 'You see only some contacts, so you can give no identity more: begin its rule with your own.'
    throw new AppError('not_allowed', undefined, own)
  }
  if (rule === null) return
  try {
    await effects.checkRowRule(db, admin.account, rule)
  } catch (error) {
    throw error instanceof AppError && error.code === 'invalid_filter' ? invalidField('rowRule', error.message) : error
  }
}
