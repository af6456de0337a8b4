import { type RawBuilder, sql } from 'kysely'

// Older ones than these are forgotten, which looks like a change: lists are loaded again once too often.
const looked = 100

/**
 * A mark of the latest changes of rights in an account (null: of all accounts): a scalar subquery that differs after each.
 * `account` is an SQL expression.
 */
export function accessChangesMark(account: RawBuilder<unknown> | null): RawBuilder<unknown> {
  const where = account === null ? sql`account_id IS NULL` : sql`account_id = ${account}`
  return sql`(
    SELECT max(id) FROM (
      SELECT id, action FROM portico.audit_log WHERE ${where} ORDER BY at DESC, id DESC LIMIT ${sql.lit(looked)}
    ) AS latest
    WHERE action LIKE ANY (ARRAY[
      'policy %', 'group %', 'identity %', 'invitation %', 'account changed', 'account suspended', 'account resumed',
      'impersonation revoked', 'two-factor required', 'preferences changed'
    ]))`
}
