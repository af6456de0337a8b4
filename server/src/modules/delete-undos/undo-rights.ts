import type { AccountId } from '@portico/contract/accounts'
import { contactEditsApi } from '@portico/contract/contact-edits'
import { actsAsRefusal, grantRefusal } from '#credentials'
import type { DeleteRow } from '#deletes'
import type { Database } from '#platform/database.ts'
import type { Caller, Refusal } from '#platform/http/context.ts'

/** The call whose right undoing a merge takes besides its own: it changes the contact that stayed. */
const { editOffer } = contactEditsApi

/** Why a caller may not undo a delete, besides the right to the call itself; null if they may. */
export const mergeRefusal = (caller: Caller, { merged_into: into }: Pick<DeleteRow, 'merged_into'>): Refusal | null =>
  into === null ? null : caller.refusal(editOffer, 'any')

/** Why the undo is refused, if its requester lost the right while it waited or since its last attempt. */
export async function refusalOfUndo(database: Database, account: AccountId, row: DeleteRow): Promise<string | null> {
  const { restore_acts_as: actsAs, merged_into: into } = row
  if (actsAs === null) return null
  const refusal = await actsAsRefusal(database, actsAs)
  if (refusal !== null || into === null) return refusal
  return grantRefusal(database, { account, holder: actsAs.holder, access: editOffer.access, request: 'any' })
}
