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
 * Keeps everything of contacts that are about to be deleted, which must be locked, so that the delete can be undone. `after`: the
 * last contact before them. Returns how many there are.
 */
export async function keepContacts(tx: Db, account: AccountId, contacts: KeptContacts, after: string): Promise<number> {
  for (const table of await tablesBesideContacts(tx, account)) {
    // Words are read from the contacts again.
    if (table.table !== 'contact_words') await insertKeptRows(tx, account, contacts, table)
  }
  const count = await insertKeptRows(tx, account, contacts, { table: 'contacts', column: 'id' })
  await keepFields(tx, account, contacts.deleteId, after)
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
