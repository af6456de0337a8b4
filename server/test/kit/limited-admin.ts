import type { Group, Policy } from '@portico/contract/policies'
import { expect } from 'vitest'
import { identityOf } from '#test/resources/access.ts'
import { makeGroup, makePolicy } from './administration.ts'
import type { Member, TestPortal } from './portal.ts'

/** The refusal of a change that exceeds the administrator's rights. */
export const exceeding = (message = '') => ({
  status: 403,
  body: { error: { code: 'exceeds_rights', message: expect.stringContaining(message) } },
})

export type Limited = Member & { policy: Policy; group: Group }

let lastNumber = 0

/** Creates a power admin with only these rights, and the policy and group that give them. */
export async function makeLimitedAdmin(
  portal: TestPortal,
  admin: Member,
  { actions, conditions = [] }: { actions: string[]; conditions?: string[] },
): Promise<Limited> {
  const own = `Limited ${++lastNumber}`
  const policy = await makePolicy(admin, own, { isAdmin: true, actions, conditions })
  const group = await makeGroup(admin, own, [policy], { isAdmin: true })
  const member = await portal.powerAdmin()
  const { pool } = portal.parts.database
  const identity = await identityOf(portal, { email: member.email, account: null })
  await pool.query('UPDATE portico.identity_groups SET group_id = $2 WHERE identity_id = $1', [identity, group._id])
  return { ...member, policy, group }
}

/** Returns the body that saves a policy unchanged. */
export const asPut = ({ name: own, isAdmin, actions, conditions, conditionLogic }: Policy) => ({
  name: own,
  isAdmin,
  actions,
  conditions,
  conditionLogic,
})
