import { invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { ContactSearch } from './compile-search.ts'
import {
  type ContactPage,
  type ContactRow,
  contactsOf,
  pagesAfter,
  selectContactIds,
  selectContacts,
  selectContactsById,
  selectMissing,
} from './contact-rows.queries.ts'

/** @throws invalid_input for an `after` that does not exist */
export async function readPage(reader: Db, { matching, page, fields, after }: ContactSearch): Promise<ContactRow[]> {
  const { account } = matching
  if (after === undefined) return selectContacts(reader, account, contactsOf(page), fields)
  const missing = await selectMissing(reader, { ...page, id: after })
  if (!missing) throw invalidField('after', 'This contact does not exist.')
  const [first, ...rest] = pagesAfter(page, after, missing)
  if (!first) return []
  if (rest.length === 0) return selectContacts(reader, account, contactsOf(first), fields)
  return selectContactsById(reader, account, await readIds(reader, [first, ...rest], page.limit), fields)
}

/** At most `limit` ids from consecutive pages. */
async function readIds(db: Db, pages: ContactPage[], limit: number): Promise<string[]> {
  const ids: string[] = []
  for (const page of pages) {
    ids.push(...(await selectContactIds(db, { ...page, limit: limit - ids.length })))
    if (ids.length === limit) break
  }
  return ids
}
