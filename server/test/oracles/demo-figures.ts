import type { AccountId } from '@portico/contract/accounts'
import type { TestPortal } from '#test/kit/portal.ts'

/** Row counts of everything that the demo creates in one account. */
export type DemoFigures = Record<
  'contacts' | 'events' | 'imports' | 'exports' | 'indexes' | 'filters' | 'people' | 'groups',
  number
>

export async function demoFiguresOf(portal: TestPortal, account: AccountId): Promise<DemoFigures> {
  const count = (table: string) => `(SELECT count(*)::int FROM account_${account}.${table}) AS ${table}`
  const tables = ['contacts', 'events', 'imports', 'exports', 'indexes'].map(count)
  const people = `(SELECT count(*)::int FROM portico.identities i JOIN portico.persons p ON p.id = i.person_id
    WHERE account_id = ${account} AND p.email LIKE '%.example') AS people`
  const groups = '(SELECT count(*)::int FROM portico.groups) AS groups'
  const filters = `(SELECT count(*)::int FROM portico.saved_filters WHERE account_id = ${account}) AS filters`
  const all = [...tables, people, groups, filters].join(', ')
  const { rows } = await portal.parts.database.pool.query<DemoFigures>(`SELECT ${all}`)
  const [figures] = rows
  if (!figures) throw new Error('a SELECT without FROM has one row')
  return figures
}
