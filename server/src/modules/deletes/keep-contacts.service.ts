import { isDeepStrictEqual } from 'node:util'
import type { AccountId } from '@portico/contract/accounts'
import { selectCatalogue } from '#contacts'
import { type Db, isTooLarge } from '#platform/database.ts'
import { inSavepoint } from '#platform/rows/savepoint.ts'
import {
  insertKeptFields,
  insertKeptRows,
  type KeptContacts,
  type KeptField,
  selectKeptFields,
} from './kept-rows.queries.ts'
import { tablesBesideContacts } from './remove-contacts.service.ts'

/**
 * Keeps everything of contacts that are about to be deleted, which must be locked, so that the delete can be undone. One with rows too
 * large to be kept is left out, and is gone for good. `after`: the last contact before them. Returns how many are kept.
 */
export async function keepContacts(tx: Db, account: AccountId, contacts: KeptContacts, after: string): Promise<number> {
  const count = (await keepRows(tx, account, contacts)) ?? (await keepOneByOne(tx, account, contacts))
  await keepFields(tx, account, contacts.deleteId, after)
  return count
}

/** Null, with nothing kept, where a row is too large. */
async function keepRows(tx: Db, account: AccountId, contacts: KeptContacts): Promise<number | null> {
  try {
    return await inSavepoint(tx, async () => {
      for (const table of await tablesBesideContacts(tx, account)) {
        // Words are read from the contacts again.
        if (table.table !== 'contact_words') await insertKeptRows(tx, account, contacts, table)
      }
      return insertKeptRows(tx, account, contacts, { table: 'contacts', column: 'id' })
    })
  } catch (error) {
    if (!isTooLarge(error)) throw error
    return null
  }
}

async function keepOneByOne(tx: Db, account: AccountId, { deleteId, ids }: KeptContacts): Promise<number> {
  let count = 0
  for (const id of ids) count += (await keepRows(tx, account, { deleteId, ids: [id] })) ?? 0
  return count
}

/** After the rows were read: no column changes its type any more until the end of the transaction. */
async function keepFields(tx: Db, account: AccountId, deleteId: string, after: string): Promise<void> {
  const catalogue = await selectCatalogue(tx, account)
  const fields = catalogue.map(({ id, type, part, column_no: number }): KeptField => {
    return { id, type, column: number ?? id, part }
  })
  const known = (await selectKeptFields(tx, account, deleteId)).at(-1)
  if (!known || !isDeepStrictEqual(known.fields, fields)) {
    await insertKeptFields(tx, account, deleteId, { after, fields })
  }
}
