import type { PeopleFilters, PeopleQuery, Person } from '@portico/contract/people'
import type { Db } from '#platform/database.ts'
import type { Administrator } from '../administrator.ts'
import {
  countClosedAccounts,
  selectAccountsWithin,
  selectDomainsWithin,
  selectGroupsWithin,
  selectPeople,
} from './people.queries.ts'
import { toPerson } from './person.service.ts'
import { reachOf } from './reach.ts'

/** The people whom an administrator reaches: a page, and the number of all that match. @throws not_allowed */
export async function listPeople(
  db: Db,
  admin: Administrator,
  { sort, order, limit, skip, ...filter }: PeopleQuery,
): Promise<{ rows: Person[]; count: number }> {
  const page = { sort, order, limit, skip }
  const found = await selectPeople(db, await reachOf(db, admin), filter, page)
  return { rows: found.rows.map(toPerson), count: found.count }
}

const mostDomains = 100

/** The accounts, groups and domains that people can be listed by. @throws not_allowed */
export async function getPeopleFilters(db: Db, admin: Administrator): Promise<PeopleFilters> {
  const reach = await reachOf(db, admin)
  const groups = await selectGroupsWithin(db, reach)
  return {
    accounts: await selectAccountsWithin(db, reach),
    groups: groups.map(({ id, ...group }) => ({ _id: id, ...group })),
    domains: await selectDomainsWithin(db, reach, mostDomains),
    closedAccounts: await countClosedAccounts(db, reach),
  }
}
