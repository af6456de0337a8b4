import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { accountsAs } from '#accounts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Administrator } from '../administrator.ts'
import { accountsLackingFactor } from '../evaluator/entrances.service.ts'
import { holdsEveryAction } from '../evaluator/power.ts'

/**
 * The identities that an administrator sees and changes in People: those of an account, with or without those of its
 * sub-accounts; or (`family` null) all of them, global ones included. Those in `closed` accounts are never within reach.
 */
export type Reach = {
  family: { account: AccountId; withSubAccounts: boolean } | null
  /** Accounts that require a second factor, which the administrator has not shown. */
  closed: readonly AccountId[]
}

/** Whether global identities are within reach, and those of all accounts that are not closed. */
export const isEverywhere = ({ family }: Reach): boolean => family === null

/**
 * Power admins reach all identities. Power users of a main account reach those in it, and in its sub-accounts if they
 * may enter these themselves, so not in suspended ones: no one sees people where they could not work.
 * @throws not_allowed for power users in a sub-account
 */
export async function reachOf(db: Db, admin: Administrator): Promise<Reach> {
  const { isPowerAdmin, isSubAccount, account, holdings } = admin
  if (isSubAccount && !isPowerAdmin) {
    const message = 'People is for power admins and for power users of a main account. Use Identities in a sub-account.'
    throw new AppError('not_allowed', { needs: 'power user' }, message)
  }
  const closed = await accountsLackingFactor(db, admin.signIn)
  if (isPowerAdmin) return { family: null, closed }
  const withSubAccounts = holdings.some((holding) => holding.reachesSubAccounts && holdsEveryAction(holding.policies))
  return { family: { account, withSubAccounts }, closed }
}

/** SQL: whether the column with the id of an account is within reach; null is that of global identities. */
export function isReached(column: string, { family, closed }: Reach): RawBuilder<boolean> {
  const id = sql.raw(column)
  const isOpen = closed.length === 0 ? sql`true` : sql`(${id} IS NULL OR ${id} <> ALL (${closed}::integer[]))`
  if (family === null) return sql<boolean>`${isOpen}`
  const own = sql`${id} = ${family.account}`
  if (!family.withSubAccounts) return sql<boolean>`(${own} AND ${isOpen})`
  const below = sql`SELECT sub.id FROM ${sql.raw(accountsAs('sub'))} WHERE sub.parent_id = ${family.account} AND sub.suspended_at IS NULL`
  return sql<boolean>`((${own} OR ${id} IN (${below})) AND ${isOpen})`
}
