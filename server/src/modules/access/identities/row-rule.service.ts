import type { AccountId } from '@portico/contract/accounts'
import type { Stages } from '@portico/contract/filter'
import { isSameRule } from '@portico/domain/pipeline/row-rules'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { IdentityEffects } from './identity-effects.ts'

/**
 * Checks an identity's row rule against the fields of the account.
 * @throws invalid_input naming `rowRule`
 */
export async function requireFittingRule(
  { db, effects }: { db: Db; effects: Pick<IdentityEffects, 'checkRowRule'> },
  account: AccountId,
  known: Stages | null,
  rule: Stages | null,
): Promise<void> {
  if (rule === null || isSameRule(known, rule)) return
  try {
    await effects.checkRowRule(db, account, rule)
  } catch (error) {
    throw error instanceof AppError && error.code === 'invalid_filter' ? invalidField('rowRule', error.message) : error
  }
}
