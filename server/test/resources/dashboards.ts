import type { AccountId } from '@portico/contract/accounts'
import type { Dashboard, SharedWith } from '@portico/contract/dashboards'
import { expect } from 'vitest'
import { createIdentityWithPassword } from '#test/kit/administration.ts'
import type { Answer, Client, Member, TestPortal } from '#test/kit/portal.ts'

export const dashboardsPath = '/contact-service/v1/dashboards'

/** A complete chart. */
export const pie = (title: string) => ({
  type: 'Pie',
  title,
  filter: { standard: [{ $group: { _id: '$City', count: { $count: {} } } }] },
  options: { colors: ['#1971c2'] },
})

/** Returns the text of a definition with these rows of cells. */
export const definition = (...layout: object[][]): string => JSON.stringify({ layout })

/** Shared only with one person, in one account. */
export const onlyFor = ({ email, account }: Pick<Member, 'email' | 'account'>): SharedWith => ({
  paids: 'all',
  aids: [account],
  users: [email],
})

/** Shared with all users of these accounts. */
export const inAccounts = (...aids: AccountId[]): SharedWith => ({ paids: 'all', aids, users: 'all' })

/** A dashboard with one empty cell, shared only with its creator; other properties as given. */
export const draftOf = (by: Member, changes: Record<string, unknown> = {}) => ({
  name: 'Overview',
  tags: ['event'],
  sharedWith: onlyFor(by),
  definition: definition([{ id: 'first', cols: 12 }]),
  ...changes,
})

export async function createDashboard(by: Member, changes: Record<string, unknown> = {}): Promise<Dashboard> {
  const answer = await by.post(dashboardsPath, draftOf(by, changes))
  expect(answer).toMatchObject({ status: 201 })
  return answer.json<Dashboard>()
}

/** Saves a dashboard; overwrites any version unless `version` is given. */
export const saveDashboard = (by: Member, id: string, changes: Record<string, unknown> = {}): Promise<Answer> =>
  by.put(`${dashboardsPath}/${id}`, draftOf(by, changes))

/** Returns the names of the listed dashboards. */
export const namesFor = async (client: Client, query = ''): Promise<string[]> =>
  (await client.get(`${dashboardsPath}?${query}`)).json<Dashboard[]>().map(({ name }) => name)

/** Gives a person an identity of a power user in another account. */
export async function addIdentity(
  portal: TestPortal,
  { email }: Pick<Member, 'email'>,
  account: AccountId,
  { withSubAccounts = false } = {},
): Promise<void> {
  const { db, pool } = portal.parts.database
  const { id } = await createIdentityWithPassword(db, { email, account, powerUser: true })
  await pool.query('UPDATE portico.identities SET access_to_all_sub_accounts = $2 WHERE id = $1', [id, withSubAccounts])
}

/** Removes the person from the account. */
export async function removeIdentity(portal: TestPortal, { email, account }: Pick<Member, 'email' | 'account'>) {
  await portal.parts.database.pool.query(
    `DELETE FROM portico.identities i USING portico.persons p
     WHERE p.id = i.person_id AND p.email = $1 AND i.account_id = $2`,
    [email, account],
  )
}

/** The body of an error. */
export const refused = (status: number, code: string, more: object = {}) => ({
  status,
  body: { error: { code, ...more } },
})
