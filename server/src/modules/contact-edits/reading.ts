import type { AccountId } from '@portico/contract/accounts'
import { contactsApi } from '@portico/contract/contacts'
import type { Stages } from '@portico/contract/filter'
import { fieldsReadOf } from '#contacts'
import { selectVisible } from '#filters'
import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'

// Values in the response to a change: the right to change contacts does not include reading them.

type Reader = { account: AccountId; caller: Caller }

/**
 * Whether a caller may read a contact, by their rights with all conditions, and by the contacts that these rights let
 * them see.
 */
export async function mayReadContact(tx: Db, { account, caller }: Reader, id: string): Promise<boolean> {
  const { getOffer } = contactsApi
  const request = { params: { id }, query: undefined, body: undefined }
  if (caller.refusal(getOffer, request) !== null) return false
  return (await selectVisible(tx, account, [id], caller.rows(getOffer, request))).length > 0
}

/** Returns those of the contact's fields whose values a caller may read. */
export async function readableOf<Field extends { name: string }>(
  tx: Db,
  reader: Reader,
  id: string,
  fields: readonly Field[],
): Promise<Set<Field>> {
  if (!(await mayReadContact(tx, reader, id))) return new Set()
  const isSeen = async (rows: Stages | null): Promise<boolean> =>
    (await selectVisible(tx, reader.account, [id], rows)).length > 0
  return new Set(await fieldsReadOf(reader.caller, fields, isSeen))
}
