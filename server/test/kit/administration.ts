import type { AccountId } from '@portico/contract/accounts'
import type { Identity, NewIdentity } from '@portico/contract/identities'
import type { Group, Policy } from '@portico/contract/policies'
import { expect } from 'vitest'
import type { Answer, Client, Member, TestPortal } from './portal.ts'

export { createIdentityWithPassword } from '#sign-in'

const base = '/identity/v1'

/** Enters another account as the same person. */
export async function enter(portal: TestPortal, { token }: Member, account: AccountId): Promise<Client> {
  const entered = await portal.holder(token).get(`${base}/login/${account}`)
  return portal.holder(entered.json<{ token: string }>().token)
}

/** People in an account, in its parent account and in an unrelated one. */
type CallersByLevel = {
  parent: AccountId
  child: AccountId
  /** The power admin, also in the sub-account and in an unrelated account. */
  admin: Member
  adminInChild: Client
  adminElsewhere: Client
  /** Power user of the sub-account. */
  powerUser: Member
  /** Power user of the unrelated account. */
  stranger: Member
  /** Member of the sub-account who administers nothing. */
  plainMember: Member
}

export async function makeCallersByLevel(portal: TestPortal): Promise<CallersByLevel> {
  const parent = await portal.account('Parent')
  const child = await portal.account('Child', parent)
  const elsewhere = await portal.account('Elsewhere')
  const admin = await portal.powerAdmin()
  return {
    parent,
    child,
    admin,
    adminInChild: await enter(portal, admin, child),
    adminElsewhere: await enter(portal, admin, elsewhere),
    powerUser: await portal.member(child),
    stranger: await portal.member(elsewhere),
    plainMember: await portal.member(child, 'contact-service::imports::get'),
  }
}

/** Returns the created object; fails if the call created none. */
export function made<T>(answer: Answer): T {
  expect(answer).toMatchObject({ status: 201 })
  return answer.json<T>()
}

export async function makePolicy(admin: Client, name: string, more: object = {}): Promise<Policy> {
  return made(await admin.post(`${base}/policies`, { name, actions: ['contact-service::offers::get'], ...more }))
}

export async function makeGroup(admin: Client, name: string, policies: Policy[], more: object = {}): Promise<Group> {
  return made(await admin.post(`${base}/groups`, { name, policies: policies.map(({ _id }) => _id), ...more }))
}

export async function makeIdentity(
  admin: Client,
  draft: Partial<NewIdentity> & Pick<NewIdentity, 'groups'>,
): Promise<Identity> {
  return made(await admin.post(`${base}/identities`, draft))
}

export async function listed<T>(client: Client, resource: 'policies' | 'groups' | 'identities'): Promise<T[]> {
  const answer = await client.get(`${base}/${resource}`)
  expect(answer).toMatchObject({ status: 200 })
  return answer.json<T[]>()
}

/** Returns the identity with this email, if the client sees it. */
export async function findIdentity(client: Client, email: string): Promise<Identity | undefined> {
  return (await listed<Identity>(client, 'identities')).find((one) => one.email === email)
}

/** Returns the id of a group that is visible to the client. */
export async function groupId(client: Client, name: string): Promise<string> {
  const group = (await listed<Group>(client, 'groups')).find((one) => one.name === name)
  if (!group) throw new Error(`no group named ${name} is seen`)
  return group._id
}

export type LogLine = { actor: string; action: string; subject: string; details: Record<string, unknown> }

/** Returns the id of the person with this email. */
export async function personIdOf(portal: TestPortal, { email }: { email: string }): Promise<string> {
  const query = 'SELECT id FROM portico.persons WHERE email = $1'
  const { rows } = await portal.parts.database.pool.query<{ id: string }>(query, [email])
  return rows[0]?.id ?? ''
}

/** Returns the account's name in the audit log. */
export async function accountName(portal: TestPortal, account: number): Promise<string> {
  const { rows } = await portal.parts.database.pool.query<{ name: string }>(
    'SELECT name FROM portico.accounts WHERE id = $1',
    [account],
  )
  return rows[0]?.name ?? ''
}

/** Returns the lines of the audit log about a subject, oldest first. */
export async function logOf(portal: TestPortal, subject: string): Promise<LogLine[]> {
  const { rows } = await portal.parts.database.pool.query<LogLine>(
    'SELECT actor, action, subject, details FROM portico.audit_log WHERE subject = $1 ORDER BY id',
    [subject],
  )
  return rows
}
