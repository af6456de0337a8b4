import type { Stages } from '@portico/contract/filter'
import { grant, identityOf, memberWith, reachSubAccounts } from './access.ts'
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

/**
 * Lets a person also see the contacts that a rule finds, with all fields, by an identity of the parent account.
 * @param actions of this identity
 */
export async function addSight(
  portal: TestPortal,
  person: Member,
  rule: Stages,
  actions = ['contact-service::offers::get'],
): Promise<void> {
  const { pool } = portal.parts.database
  const parent = await portal.account()
  await pool.query('UPDATE portico.accounts SET parent_id = $2 WHERE id = $1', [person.account, parent])
  await pool.query(
    'INSERT INTO portico.identities (id, person_id, account_id, accepted_at) SELECT gen_random_uuid(), id, $2, now() FROM portico.persons WHERE email = $1',
    [person.email, parent],
  )
  const identity = await identityOf(portal, { ...person, account: parent })
  await reachSubAccounts(portal, { ...person, account: parent })
  await grant(portal, identity, { actions })
  await setRowRule(portal, identity, rule)
}
