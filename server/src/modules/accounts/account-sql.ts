import type { AccountId } from '@portico/contract/accounts'
import type { PreparedStatement } from '#platform/strangers/lookups.ts'

// SQL fragments for statements of other modules that join an account: only this file knows the table and its columns.

/** The accounts under an alias, for FROM and JOIN, without those still being created. */
export const accountsAs = (alias: string): string =>
  `(SELECT * FROM portico.accounts WHERE schema_version IS NOT NULL) ${alias}`

/** The time zone of an account, or of the portal's first account if `id` is null. */
export const zoneOfAccount = (id: string): string =>
  `(SELECT time_zone FROM portico.accounts WHERE id = coalesce(${id}, (SELECT min(id) FROM portico.accounts)))`

/** The account columns that every request reads. */
export const accountFactColumns = (a: string): string =>
  `${a}.id AS account_id, ${a}.parent_id, ${a}.time_zone, ${a}.fields_version,
  ${a}.contacts_version, ${a}.events_until,
  ${a}.suspended_at IS NOT NULL AS is_suspended, ${a}.menus, ${a}.timeout_minutes, ${a}.full_screen_is_activity`

/**
 * Versions and time zone of an account, which every call without a sign-in needs. No row if it is unknown or suspended.
 */
export function accountVersionsStatement(account: AccountId): PreparedStatement {
  const text = `SELECT fields_version, remote_access_version, time_zone FROM portico.accounts
    WHERE id = $1 AND suspended_at IS NULL AND schema_version IS NOT NULL`
  return { name: 'account versions', text, values: [account] }
}

/** Whether two-factor is required in the account, or (`isPowerAdmin`, SQL of a boolean) by the deployment. */
export const requiresTwoFactor = (a: string, isPowerAdmin: string): string =>
  `(coalesce(${a}.requires_two_factor, false) OR
    CASE (SELECT two_factor_of FROM portico.deployment)
      WHEN 'everybody' THEN true WHEN 'power-admins' THEN coalesce(${isPowerAdmin}, false) ELSE false
    END)`
