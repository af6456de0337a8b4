import type { AccountId } from '@portico/contract/accounts'
import type { MissingRecords } from '@portico/contract/deletes'
import {
  type ContactField,
  type ContactValue,
  deleteMergedKeys,
  listContactFields,
  lockContact,
  type MergedHashes,
  selectContactValues,
  selectKeyHolder,
  selectMergedHashes,
  selectMergeHolder,
  updateContactValues,
  upsertKeys,
} from '#contacts'
import { deleteKeptOfMerge, deleteMergedEvents, findDelete, selectMergesOf } from '#deletes'
import { computeKeys, type KeyRule, passOnUnmerged } from '#imports'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { type ChangeRow, type FieldChange, selectMergeChange } from './changes.queries.ts'
import { isSameValue } from './contact-value.ts'
import { historyReader, keyRuleOf, namedFields, valueReader, writeFreeKeys } from './mending.ts'
import { finishChange, recordChange } from './recorded-change.ts'

type Missing = MissingRecords['missing']

/**
 * Takes back what a merge did to the contact that stayed, in a transaction under the account's lock of imports, before the
 * other one returns: events and keys leave it, and it gets its earlier values, except those changed since. Returns the values
 * that stay: of these, later imports that are undone bring back the earlier ones. Once the contact is deleted, only the
 * events and keys that it would get back by an undo are taken from it.
 * @throws key_taken with the fields, if another contact has by now the key that it would have again
 */
export async function revertMerge(
  tx: Db,
  account: AccountId,
  { deleteId, actor }: { deleteId: string; actor: Actor },
): Promise<Missing> {
  const merges = await selectMergesOf(tx, account, deleteId)
  const id = await selectMergeHolder(tx, account, deleteId)
  const contact = id === undefined ? undefined : await lockContact(tx, account, id)
  // After the lock: what a bulk delete kept of the contact before it is seen, and none keeps it from now on.
  await deleteKeptOfMerge(tx, account, deleteId, merges)
  if (id === undefined) return []
  await deleteMergedEvents(tx, account, deleteId, id)
  const before = await selectMergedHashes(tx, account, deleteId)
  await deleteMergedKeys(tx, account, merges)
  const change = await selectMergeChange(tx, account, id, deleteId)
  if (!contact || !change) return []
  const { values, stay } = await earlierValues(tx, account, change)
  const now = new Date()
  await updateContactValues(tx, account, id, { values: values.map(({ field, to }) => ({ field, value: to })), now })
  const rule = await keyRuleOf(tx, account, contact.importId, await namedFields(tx, account))
  await returnKeys(tx, account, { id, rule }, before)
  await passOn(tx, account, change, rule)
  const fields = values.map(({ field, from, to }): FieldChange => ({ field: field.id, name: field.name, from, to }))
  const merged = { contact: change.merged_contact ?? '', delete: deleteId }
  const kind = { kind: 'undone' as const, undoes: change.id, merged }
  const undone = await recordChange(tx, { account, actor }, id, { ...kind, fields, now })
  await finishChange(tx, { account, actor }, undone)
  return stay
}

type Returned = { field: ContactField; from: ContactValue; to: ContactValue }

/** The values that a contact gets back, and those that stay: changed since the merge, or of another type by now. */
async function earlierValues(
  tx: Db,
  account: AccountId,
  { contact_id: id, fields: changes }: ChangeRow,
): Promise<{ values: Returned[]; stay: Missing }> {
  const fields = await listContactFields(tx, account)
  const current = await selectContactValues(tx, account, id, fields)
  const widened = await historyReader(tx, account)
  const read = await valueReader(tx, account)
  const found: { values: Returned[]; stay: Missing } = { values: [], stay: [] }
  for (const { field: number, from, to } of changes) {
    const field = fields.find((each) => each.id === number)
    if (!field) continue
    const value = current.get(field.column) ?? null
    const stays = (reason: Missing[number]['reason']) => found.stay.push({ contact: id, fields: [field.name], reason })
    if (!isSameValue(field, await widened(field, to), value)) {
      stays('changed')
      continue
    }
    const earlier = await read(field, await widened(field, from)).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'invalid_input') return undefined
      throw error
    })
    if (earlier === undefined) stays('retyped')
    else found.values.push({ field, from: value, to: earlier })
  }
  return found
}

/** Imports after the merge that overwrote its values get the earlier ones into their records. */
async function passOn(tx: Db, account: AccountId, change: ChangeRow, rule: KeyRule): Promise<void> {
  const merge = change.delete_id === null ? undefined : await findDelete(tx, account, change.delete_id)
  const fields = await listContactFields(tx, account)
  const values = change.fields.flatMap(({ field: number, from, to }) => {
    const field = fields.find((each) => each.id === number)
    return field ? [{ field, from, to }] : []
  })
  // None was running: imports are numbered one after the other, and those that bind no more have no records.
  const lastImport = Math.max(0, ...(merge?.binding_imports ?? []))
  await passOnUnmerged(tx, account, { contact: change.contact_id, lastImport, rule, values })
}

/**
 * Gives a contact the keys of its earlier values. Without a dedup key before the merge, it gets none that the other contact
 * had, or that a third one has: it was a duplicate.
 * @throws key_taken
 */
async function returnKeys(
  tx: Db,
  account: AccountId,
  { id, rule }: { id: string; rule: KeyRule },
  before: MergedHashes,
): Promise<void> {
  if (before.kept === null) return writeFreeKeys(tx, account, id, rule, before.other)
  const keys = await computeKeys(tx, account, id, rule)
  const holder = keys.hash === null ? undefined : await selectKeyHolder(tx, account, { hash: keys.hash, except: id })
  if (holder) throw new AppError('key_taken', { fields: rule.columns.dedup.map(({ field }) => field.name) })
  if (rule.fields.length > 0) await upsertKeys(tx, account, id, keys)
}
