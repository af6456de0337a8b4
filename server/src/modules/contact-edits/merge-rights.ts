import { deletesApi } from '@portico/contract/deletes'
import type { Stages } from '@portico/contract/filter'
import { matching } from '@portico/domain/pipeline/match-json'
import type { ContactField } from '#contacts'
import { selectVisible } from '#filters'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { judgedParts } from '#platform/http/read-request.ts'
import { allow, asEditor, type Changes } from './edit-rights.ts'
import type { Mender } from './mending.ts'
import { readableOf } from './reading.ts'

// A merge is judged as the edit of one contact and the delete of the other, and as reading both.

/** The ids of the contact that stays and of the one that is merged into it. */
export type Merging = { kept: string; other: string }

/** The filter that finds one contact. */
export const filterOf = (id: string): Stages => matching({ _id: id })

/**
 * Returns the caller as the editor of the contact that stays.
 * @throws not_allowed if the caller may not make these changes of it
 */
export async function requireEditable(tx: Db, mender: Mender, { kept }: Merging, changes: Changes): Promise<Mender> {
  const editor = asEditor(mender, kept, changes)
  if ((await selectVisible(tx, mender.account, [kept], editor.rows)).length > 0) return editor
  throw new AppError('not_allowed', undefined, `You may not change contact ${kept} in this way.`)
}

/** @throws not_allowed if the caller may not delete the other contact */
export async function requireDeletable(tx: Db, { account, caller }: Mender, { other }: Merging): Promise<void> {
  const { deleteOffers } = deletesApi
  const body = { filter: filterOf(other), deletedRecords: 1 }
  const request = judgedParts(deleteOffers, { params: {}, query: {}, body })
  allow(caller.refusal(deleteOffers, request))
  if ((await selectVisible(tx, account, [other], caller.rows(deleteOffers, request))).length > 0) return
  throw new AppError('not_allowed', undefined, `You may not delete contact ${other}, which merging does.`)
}

/**
 * Of all fields, as any value of the other contact may be taken over or given up. Names none, as the caller may not know
 * them.
 * @throws not_allowed
 */
export async function requireAllReadable(
  tx: Db,
  mender: Mender,
  { kept, other }: Merging,
  fields: readonly ContactField[],
): Promise<void> {
  for (const id of [kept, other]) {
    const readable = await readableOf(tx, mender, id, fields)
    if (readable.size === fields.length && readable.size > 0) continue
    throw new AppError('not_allowed', undefined, 'Merging contacts takes the right to read all of their fields.')
  }
}
