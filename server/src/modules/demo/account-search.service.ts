import type { AccountId } from '@portico/contract/accounts'
import { listContactFields } from '#contacts'
import { createIndex, listIndexes } from '#indexes'
import type { Services } from '#platform/services.ts'
import { createSavedFilter, listSavedFilters } from '#saved-filters'
import { stages } from './demo-account.ts'

const actor = { actor: 'demo', address: null, via: { kind: 'portal' as const } }

/** Fields to index, if an account has them. */
const indexedFields = ['Email', 'Last Name', 'City', 'Segment']

const savedFilters = [
  { name: 'Opted in', fields: ['Opted In'], query: stages({ $match: { 'Opted In': true } }) },
  {
    name: 'Submitted a form',
    fields: [],
    query: stages({ $match: { events: { $elemMatch: { event_code: 'form_submit' } } } }),
  },
  {
    name: 'Most valuable',
    fields: ['Segment'],
    query: stages({ $match: { Segment: { $in: ['VIP', 'Major Donor'] } } }),
  },
  {
    name: 'Lapsed, but opted in',
    fields: ['Segment', 'Opted In'],
    query: stages({ $match: { Segment: { $in: ['Lapsed', 'Lapsed Donor'] } } }, { $match: { 'Opted In': true } }),
  },
]

/** Creates the indexes and saved filters of an account that do not exist yet. */
export async function makeSearchable({ database: { db }, jobs }: Services, account: AccountId): Promise<void> {
  const fields = new Set((await listContactFields(db, account)).map(({ name }) => name))
  const indexed = new Set(Object.values(await listIndexes(db, account)).map(([first]) => first?.[0]))
  for (const field of indexedFields.filter((name) => fields.has(name) && !indexed.has(name))) {
    await createIndex({ db, jobs }, account, actor, { key: [[field, 1]], options: { unique: false } })
  }
  const saved = new Set((await listSavedFilters(db, account)).map(({ name }) => name))
  for (const { name, fields: needed, query } of savedFilters) {
    if (saved.has(name) || !needed.every((field) => fields.has(field))) continue
    await createSavedFilter(db, account, actor, { name, aggregateQuery: query, showInSubaccounts: false }, null)
  }
}
