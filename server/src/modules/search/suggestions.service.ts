import type { AccountId } from '@portico/contract/accounts'
import type { Offer, SuggestionQuery } from '@portico/contract/contacts'
import { filterLimits, type Stages } from '@portico/contract/filter'
import { matching } from '@portico/domain/pipeline/match-json'
import { type ContactField, listContactFields } from '#contacts'
import {
  type QueryContext,
  compilePipeline,
  type ContactSource,
  openContactSource,
  selectVisible,
  userQuery,
} from '#filters'
import type { Db } from '#platform/database.ts'
import type { AccountFacts } from '#platform/http/context.ts'
import { compileSearch } from './compile-search.ts'
import { readPage } from './contact-page.service.ts'
import { selectContactsById } from './contact-rows.queries.ts'
import { selectPrefixIndexedColumns } from './fields.queries.ts'
import { fullTextReads } from './full-text-index.service.ts'
import { toOffers } from './offers.ts'
import { candidates, selectIndexedIds } from './suggestions.queries.ts'

// The index of words has too many entries for shorter beginnings: joining them takes longer than a keystroke.
const indexedLetters = 3
// Each takes a statement of its own: an OR over several fields can use no index.
const fieldsAtMost = 5

/** The reader of suggestions. */
type SuggestionContext = QueryContext & { facts?: AccountFacts | null; rows: Stages | null }

/**
 * A few contacts for a text that is being typed. They have a word beginning with each of its words, where the words are
 * indexed or the account is small. Elsewhere an indexed field begins with the text, and without such a field there are
 * none. It runs with every keystroke, so it never reads the texts of a large account, and requests no full-text index.
 */
export async function suggestOffers(
  { facts = null, rows, ...context }: SuggestionContext,
  account: AccountId,
  { text, limit }: SuggestionQuery,
): Promise<Offer[]> {
  const { db } = context
  const reads = await fullTextReads(db, account)
  const source = await openContactSource(db, account, { rows, hasFullTextIndex: reads === 'index', facts })
  const lookups =
    reads === 'many'
      ? beginningLookups(await prefixIndexedFields(db, account), text)
      : wordLookups(text, reads === 'index' ? indexedLetters : 1)
  if (lookups.length === 0) return []
  return userQuery(context, async (reader) => {
    if (reads === 'few') return readFew(reader, source, lookups, limit)
    const ids = await readIds(reader, source, lookups, { limit, rows })
    return toOffers(source.fields, await selectContactsById(reader, account, ids, source.fields))
  })
}

/** A condition, and the table whose index finds what meets it. */
type Lookup = { table: string; condition: Record<string, unknown> }

async function readFew(reader: Db, source: ContactSource, lookups: Lookup[], limit: number): Promise<Offer[]> {
  const stages = lookups.flatMap(({ condition }) => matching(condition))
  const search = compileSearch(source, stages, { fields: source.fields, sort: { _id: 1 }, limit, skip: 0 })
  return toOffers(search.fields, await readPage(reader, search))
}

/** The index knows no rule, so with one all that it finds is looked at again. */
async function readIds(
  reader: Db,
  source: ContactSource,
  lookups: Lookup[],
  { limit, rows }: { limit: number; rows: Stages | null },
): Promise<string[]> {
  const found = new Set<string>()
  for (const { table, condition } of lookups) {
    if (found.size >= limit) break
    const { where } = compilePipeline(matching(condition), source.scope().resolve)
    if (!where) continue
    const { account } = source
    const wanted = rows === null ? limit : candidates
    const ids = await selectIndexedIds(reader, account, { table, where, limit: wanted })
    for (const id of await selectVisible(reader, account, ids, rows)) found.add(id)
  }
  return [...found].slice(0, limit)
}

/** At most one: no words, no contacts. */
function wordLookups(text: string, letters: number): Lookup[] {
  const words = (text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).filter((word) => word.length >= letters)
  if (words.length === 0) return []
  const condition = { $text: { $search: words.slice(0, filterLimits.searchWords).join(' ') } }
  return [{ table: 'contact_words', condition }]
}

/** One a field. Letter case counts in these indexes, so the usual spellings are tried. */
function beginningLookups(fields: readonly ContactField[], text: string): Lookup[] {
  const lower = text.toLowerCase()
  const spellings = new Set([text, lower, lower.charAt(0).toUpperCase() + lower.slice(1)])
  const patterns = [...spellings].map((spelling) => `^${spelling.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`)
  return fields.map(({ name, table }) => ({
    table,
    condition: { $or: patterns.map((pattern) => ({ [name]: { $regex: pattern } })) },
  }))
}

async function prefixIndexedFields(db: Db, account: AccountId): Promise<ContactField[]> {
  const fields = await listContactFields(db, account)
  const indexed = await selectPrefixIndexedColumns(db, account, fields)
  return fields.filter(({ table, column }) => indexed.has(`${table}.${column}`)).slice(0, fieldsAtMost)
}
