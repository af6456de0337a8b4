import { isDeepStrictEqual } from 'node:util'
import type { AccountId } from '@portico/contract/accounts'
import { selectCatalogue } from '#contacts'
import type { Db } from '#platform/database.ts'
import {
  insertKeptFields,
  insertKeptRows,
  type KeptContacts,
  type KeptField,
  selectKeptFields,
} from './kept-rows.queries.ts'
import { tablesBesideContacts } from './remove-contacts.service.ts'

/**
 * Copies all data of contacts that are about to be deleted, which makes the delete undoable. The contacts must be
 * locked. `after`: the last contact before them. Returns the number of contacts.
 */
export async function keepContacts(tx: Db, account: AccountId, contacts: KeptContacts, after: string): Promise<number> {
  for (const table of await tablesBesideContacts(tx, account)) {
    // Words are extracted again from restored contacts.
    if (table.table !== 'contact_words') await insertKeptRows(tx, account, contacts, table)
  }
  const count = await insertKeptRows(tx, account, contacts, { table: 'contacts', column: 'id' })
  await keepFields(tx, account, contacts.deleteId, after)
  return count
}

/** Must follow the reading of the rows: until the end of the transaction no column can change its type any more. */
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
