import type { AccountId } from '@portico/contract/accounts'
import type { Dashboard, SharedWith } from '@portico/contract/dashboards'
import { expect } from 'vitest'
import { createIdentityWithPassword } from './administration.ts'
import type { Answer, Client, Member, TestPortal } from './portal.ts'

export const dashboardsPath = '/contact-service/v1/dashboards'

/** A chart that is complete. */
export const pie = (title: string) => ({
  type: 'Pie',
  title,
  filter: { standard: [{ $group: { _id: '$City', count: { $count: {} } } }] },
  options: { colors: ['#1971c2'] },
})

/** The text of a definition with these rows of cells. */
export const definition = (...layout: object[][]): string => JSON.stringify({ layout })

/** Shared with no one but a person themself, in one account. */
export const onlyFor = ({ email, account }: Pick<Member, 'email' | 'account'>): SharedWith => ({
  paids: 'all',
  aids: [account],
  users: [email],
})

/** Shared with everyone in these accounts. */
export const inAccounts = (...aids: AccountId[]): SharedWith => ({ paids: 'all', aids, users: 'all' })

/** A dashboard with one empty cell that is shared with no one; the rest as given. */
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

/** Saves over whatever there is unless `version` is given. */
export const saveDashboard = (by: Member, id: string, changes: Record<string, unknown> = {}): Promise<Answer> =>
  by.put(`${dashboardsPath}/${id}`, draftOf(by, changes))

/** Names of the dashboards that are listed. */
export const namesFor = async (client: Client, query = ''): Promise<string[]> =>
  (await client.get(`${dashboardsPath}?${query}`)).json<Dashboard[]>().map(({ name }) => name)

/** Gives a person, who may be in other accounts, an identity of a power user in one more. */
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

/** The person leaves the account. */
export async function removeIdentity(portal: TestPortal, { email, account }: Pick<Member, 'email' | 'account'>) {
  await portal.parts.database.pool.query(
    `DELETE FROM portico.identities i USING portico.persons p
     WHERE p.id = i.person_id AND p.email = $1 AND i.account_id = $2`,
    [email, account],
  )
}

/** The body of a refusal. */
export const refused = (status: number, code: string, more: object = {}) => ({
  status,
  body: { error: { code, ...more } },
})
