import { createHash, randomBytes } from 'node:crypto'
import type { AccountId } from '@portico/contract/accounts'
import type { Client, Member, TestPortal } from '#test/kit/portal.ts'

/** A policy in a test; omitted parts have no limit. */
export type TestPolicy = {
  name?: string
  actions: string[]
  conditions?: string[]
  conditionLogic?: 'and' | 'or'
}

/** Limits of an identity, as columns of its row. */
export type TestLimits = {
  days?: string[]
  daysEffect?: 'in' | 'nin' | null
  hours?: number[]
  hoursEffect?: 'in' | 'nin' | null
  cidr?: string | null
  isDisabled?: boolean
}

let lastNumber = 0

/** Creates a member who holds only these policies in the account, each through a separate group. */
export async function memberWith(portal: TestPortal, account: AccountId, ...policies: TestPolicy[]): Promise<Member> {
  const member = await portal.member(account, 'nothing::at::all')
  for (const policy of policies) await grant(portal, await identityOf(portal, member), policy)
  return member
}

/** Gives an identity one more policy and returns its id. */
export async function grant(portal: TestPortal, identity: string, policy: TestPolicy): Promise<string> {
  const { pool } = portal.parts.database
  const { actions, conditions = [], conditionLogic = 'and' } = policy
  const [id, group, name] = [crypto.randomUUID(), crypto.randomUUID(), `Given ${++lastNumber}`]
  await pool.query(
    `INSERT INTO portico.policies (id, account_id, name, actions, conditions, condition_logic)
     SELECT $1, account_id, $2, $3, $4, $5 FROM portico.identities WHERE id = $6`,
    [id, policy.name ?? name, actions, conditions, conditionLogic, identity],
  )
  await pool.query(
    'INSERT INTO portico.groups (id, account_id, name) SELECT $1, account_id, $2 FROM portico.identities WHERE id = $3',
    [group, name, identity],
  )
  await pool.query('INSERT INTO portico.group_policies (group_id, policy_id) VALUES ($1, $2)', [group, id])
  await pool.query('INSERT INTO portico.identity_groups (identity_id, group_id) VALUES ($1, $2)', [identity, group])
  return id
}

/** Replaces the conditions of all policies that a member holds in their account through their own groups. */
export async function setConditions(portal: TestPortal, member: Member, conditions: string[]): Promise<void> {
  await portal.parts.database.pool.query(
    `UPDATE portico.policies SET conditions = $2 WHERE id IN (
      SELECT gp.policy_id FROM portico.group_policies gp JOIN portico.identity_groups ig ON ig.group_id = gp.group_id
      WHERE ig.identity_id = $1)`,
    [await identityOf(portal, member), conditions],
  )
}

/** Returns the id of the member's identity in the account, or (`account` null) of their global one. */
export async function identityOf(
  portal: TestPortal,
  { email, account }: { email: string; account: AccountId | null },
): Promise<string> {
  const { rows } = await portal.parts.database.pool.query<{ id: string }>(
    `SELECT i.id FROM portico.identities i JOIN portico.persons p ON p.id = i.person_id
     WHERE p.email = $1 AND i.account_id IS NOT DISTINCT FROM $2`,
    [email, account],
  )
  if (!rows[0]) throw new Error(`${email} has no identity in ${account}`)
  return rows[0].id
}

/** Sets the days, hours and addresses of an identity; omitted ones have no limit. */
export async function limit(portal: TestPortal, identity: string, limits: TestLimits): Promise<void> {
  const { days = [], daysEffect = null, hours = [], hoursEffect = null, cidr = null, isDisabled = false } = limits
  await portal.parts.database.pool.query(
    `UPDATE portico.identities
     SET days = $2, days_effect = $3, hours = $4, hours_effect = $5, cidr = $6, is_disabled = $7 WHERE id = $1`,
    [identity, days, daysEffect, hours, hoursEffect, cidr, isDisabled],
  )
}

/** Returns hours of the day (UTC) that are far from now. */
export function farHours(): number[] {
  const now = new Date().getUTCHours()
  return Array.from({ length: 12 }, (_, index) => (now + 6 + index) % 24)
}

/** Gives a member's identity access to all sub-accounts of its account. */
export async function reachSubAccounts(portal: TestPortal, member: Member): Promise<void> {
  const query = 'UPDATE portico.identities SET access_to_all_sub_accounts = true WHERE id = $1'
  await portal.parts.database.pool.query(query, [await identityOf(portal, member)])
}

/** An API credential of an identity. */
export type TestCredential = { accessKey: string; secretKey: string; authorization: string }

/** Adds an API credential to an identity. */
export async function addCredential(portal: TestPortal, identity: string, isActive = true): Promise<TestCredential> {
  const [accessKey, secretKey] = [`PK${randomBytes(15).toString('hex')}`, randomBytes(32).toString('base64url')]
  const secretHash = createHash('sha256').update(secretKey).digest('hex')
  await portal.parts.database.pool.query(
    `INSERT INTO portico.api_credentials (identity_id, number, access_key, secret_hash, is_active, created_at, name)
     SELECT $1, coalesce(max(number), 0) + 1, $2, $3, $4, $5, 'Key ' || coalesce(max(number), 0) + 1 FROM portico.api_credentials WHERE identity_id = $1`,
    [identity, accessKey, secretHash, isActive, new Date()],
  )
  return { accessKey, secretKey, authorization: basic(accessKey, secretKey) }
}

export function basic(accessKey: string, secretKey: string): string {
  return `Basic ${Buffer.from(`${accessKey}:${secretKey}`).toString('base64')}`
}

/** Returns a program with an API credential of the member, from this address. */
export async function program(portal: TestPortal, member: Member, address?: string): Promise<Client> {
  const { authorization } = await addCredential(portal, await identityOf(portal, member))
  return portal.asking({ authorization }, address)
}

/** Returns the member, authenticated by an API credential of their identity in the account. */
export async function byProgram(portal: TestPortal, member: Member): Promise<Member & { accessKey: string }> {
  const { authorization, accessKey } = await addCredential(portal, await identityOf(portal, member))
  return { ...member, ...portal.asking({ authorization }), accessKey }
}

/** Returns the token of an impersonation link that the member creates. */
export async function linkOf(
  member: Client,
  { address = '127.0.0.1', seconds = 3600, policies }: { address?: string; seconds?: number; policies?: string[] } = {},
): Promise<string> {
  const chosen = policies ? `/${encodeURIComponent(policies.join(','))}` : ''
  const answer = await member.get(`/identity/v1/login/${encodeURIComponent(address)}/${seconds}${chosen}`)
  if (answer.status !== 200) throw new Error(`no link: ${JSON.stringify(answer.body)}`)
  return answer.json<{ token: string }>().token
}
