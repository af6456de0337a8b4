import { type RawBuilder, sql } from 'kysely'

// When an older entry drops out, the mark changes as well: lists are then loaded once too often.
const looked = 100

/**
 * A mark of the latest changes of rights in an account (null: of changes that concern all accounts): a scalar subquery
 * whose value differs after each change. `account` is an SQL expression.
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
