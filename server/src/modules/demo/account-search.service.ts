import type { AccountId } from '@portico/contract/accounts'
import { listContactFields } from '#contacts'
import { createIndex, listIndexes } from '#indexes'
import type { Services } from '#platform/services.ts'
import { createSavedFilter, listSavedFilters } from '#saved-filters'
import { stages } from './demo-account.ts'

const actor = { actor: 'demo', address: null }

/** What people of the demo look contacts up by, where an account has such a field. */
const lookedUpBy = ['Email', 'Last Name', 'City', 'Segment']

const savedFilters = [
  { name: 'Opted in', fields: ['Opted In'], query: stages({ $match: { 'Opted In': true } }) },
  {
    name: 'Sent a form in',
    fields: [],
    query: stages({ $match: { events: { $elemMatch: { event_code: 'form_submit' } } } }),
  },
]

/** Gives an account indexes and saved filters, as far as an earlier load has not. */
export async function makeSearchable({ database: { db }, jobs }: Services, account: AccountId): Promise<void> {
  const fields = new Set((await listContactFields(db, account)).map(({ name }) => name))
  const indexed = new Set(Object.values(await listIndexes(db, account)).map(([first]) => first?.[0]))
  for (const field of lookedUpBy.filter((name) => fields.has(name) && !indexed.has(name))) {
    await createIndex({ db, jobs }, account, actor, { key: [[field, 1]], options: { unique: false } })
  }
  const saved = new Set((await listSavedFilters(db, account)).map(({ name }) => name))
  for (const { name, fields: needed, query } of savedFilters) {
    if (saved.has(name) || !needed.every((field) => fields.has(field))) continue
    await createSavedFilter(db, account, actor, { name, aggregateQuery: query, showInSubaccounts: false })
  }
}
