import type { Stages } from '@portico/contract/filter'
import { identityOf, memberWith } from './access.ts'
import type { Member, TestPortal } from '#test/kit/portal.ts'

/** Gives an identity a row rule; null removes it. */
export async function setRowRule(portal: TestPortal, identity: string, rule: Stages | null): Promise<void> {
  const { pool } = portal.parts.database
  const text = rule && JSON.stringify(rule)
  await pool.query('UPDATE portico.identities SET row_rule = $2 WHERE id = $1', [identity, text])
}

/** Creates a member with these actions, by default all, who sees only the contacts that a rule lets through. */
export async function restrictedMember(
  portal: TestPortal,
  account: number,
  rule: Stages,
  actions = ['*::*::*'],
): Promise<Member> {
  const member = await memberWith(portal, account, { actions })
  await setRowRule(portal, await identityOf(portal, member), rule)
  return member
}
