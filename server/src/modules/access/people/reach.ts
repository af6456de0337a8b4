import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { accountsAs } from '#accounts'
import { AppError } from '#platform/app-error.ts'
import type { Administrator } from '../administrator.ts'
import { holdsEveryAction } from '../evaluator/power.ts'

/**
 * The identities that an administrator sees and changes in People: those of an account, with or without those of its
 * sub-accounts; or (null) all of them, global ones included.
 */
export type Reach = { account: AccountId; withSubAccounts: boolean } | null

/**
 * Power admins reach all identities. Power users of a main account reach those in it, and in its sub-accounts if they
 * may enter these themselves: no one sees people where they could not work.
 * @throws not_allowed for power users in a sub-account
 */
export function reachOf({ isPowerAdmin, isSubAccount, account, holdings }: Administrator): Reach {
  if (isPowerAdmin) return null
  if (isSubAccount) {
    const message = 'People is for power admins and for power users of a main account. Use Identities in a sub-account.'
    throw new AppError('not_allowed', { needs: 'power user' }, message)
  }
  const withSubAccounts = holdings.some((holding) => holding.reachesSubAccounts && holdsEveryAction(holding.policies))
  return { account, withSubAccounts }
}

/** SQL: whether the column with the id of an account is within reach; null, of global identities, only for `null`. */
export function isReached(column: string, reach: Reach): RawBuilder<boolean> {
  if (reach === null) return sql<boolean>`true`
  const { account, withSubAccounts } = reach
  const own = sql`${sql.raw(column)} = ${account}`
  if (!withSubAccounts) return sql<boolean>`${own}`
  const below = sql`SELECT sub.id FROM ${sql.raw(accountsAs('sub'))} WHERE sub.parent_id = ${account}`
  return sql<boolean>`(${own} OR ${sql.raw(column)} IN (${below}))`
}
