import type { TestPortal } from './portal.ts'

// Every way into the portal with its rights, one per line: a new line was created, prolonged, reactivated or widened.
const queries = [
  `SELECT 'credential', id, expires_at FROM portico.api_credentials WHERE is_active`,
  `SELECT 'link', id, address, expires_at, policies, policy_ids FROM portico.impersonations WHERE revoked_at IS NULL`,
  `SELECT 'emailed link', id, kind, person_id, identity_id, expires_at FROM portico.person_links WHERE used_at IS NULL`,
  `SELECT 'session', id, person_id, expires_at FROM portico.sessions WHERE revoked_at IS NULL`,
  `SELECT 'person', id, email, password_hash, two_factor_secret, two_factor_since FROM portico.persons`,
  `SELECT 'recovery code', person_id, code_hash FROM portico.recovery_codes WHERE used_at IS NULL`,
  `SELECT 'account', id, time_zone, requires_two_factor, timeout_minutes FROM portico.accounts WHERE suspended_at IS NULL`,
  `SELECT 'identity', id, person_id, account_id, accepted_at, access_to_all_sub_accounts, days, days_effect, hours,
     hours_effect, cidr FROM portico.identities WHERE NOT is_disabled`,
  // These jobs create invitations and links for passwords.
  `SELECT 'email to be sent', id, name, data FROM jobs.job WHERE name IN ('send-invitation', 'send-password-link')`,
  `SELECT 'right', ig.identity_id, g.id, g.is_admin, p.id, p.actions, p.conditions, p.condition_logic
   FROM portico.identity_groups ig JOIN portico.groups g ON g.id = ig.group_id
   JOIN portico.group_policies gp ON gp.group_id = g.id JOIN portico.policies p ON p.id = gp.policy_id`,
]

async function waysIn(portal: TestPortal): Promise<ReadonlySet<string>> {
  const { pool } = portal.parts.database
  const results = await Promise.all(queries.map((text) => pool.query<unknown[]>({ text, rowMode: 'array' })))
  return new Set(results.flatMap(({ rows }) => rows.map((row) => JSON.stringify(row))))
}

/** Returns the ways in that an action has opened or widened. */
export async function openedBy(portal: TestPortal, act: () => Promise<unknown>): Promise<string[]> {
  const before = await waysIn(portal)
  await act()
  return [...(await waysIn(portal))].filter((line) => !before.has(line))
}
